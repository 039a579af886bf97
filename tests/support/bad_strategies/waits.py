import socket


class Mine:
    """Waits for somebody to call.

    fails: FIRES
    names: 0.5 s
    line: server.accept()
    """

    def shoot(self, view):
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.accept()
        return view.open_cells[0]
