"""Write the tables of all documents again."""

from tests import pages

for name in pages.page_names():
    path = pages.path_of(name)
    path.write_text(pages.with_tables(name, pages.read_page(name)), encoding="utf-8")
    print(f"wrote {path.relative_to(pages.ROOT)}")
