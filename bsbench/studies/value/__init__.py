"""The value of hiding against shooting on small boards, and how both sides have to play."""
