"""`python -m tether.app` is the `tether` command."""

from __future__ import annotations

from tether.app.main import main

if __name__ == "__main__":
    main()
