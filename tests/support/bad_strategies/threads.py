import threading
import time


class Mine:
    """Leaves threads behind, which is none of bsbench's business.

    passes
    """

    def shoot(self, view):
        if len(view.shots) == 2:
            threading.Thread(target=time.sleep, args=(3600,)).start()
        return view.open_cells[0]
