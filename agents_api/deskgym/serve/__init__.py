"""Both planes as processes of one server: `deskgym serve`."""
