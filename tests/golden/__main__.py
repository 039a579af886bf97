"""Make the golden histograms anew."""

from tests.golden import FILE, renew

renew()
print(f"wrote {FILE}: commit it with the reason why it changed")
