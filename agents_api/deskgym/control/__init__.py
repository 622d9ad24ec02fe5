"""The control plane: what starts, reads, resets and grades episodes, in a process that no agent reaches (DESIGN §5).

Two planes, several processes:

    agent plane    N workers (`python -m deskgym_apps.server`) that share one listening socket and hold no state.
                   They find an episode's folder by the SHA-256 of the agent token, on every request anew.
    control plane  one process (`python -m deskgym.control`) on a loopback port. It alone holds tasks, seeds,
                   expectations, S0 and leases, in a folder of its own (0700).
    supervisor     `deskgym serve` binds both sockets, starts both planes, starts anew what dies, drains at SIGTERM.

What the planes share is the root of episodes: `tokens/`, `reference/` and a folder an episode. One writer at a time
per episode, whichever process it is in, comes from `BEGIN IMMEDIATE` and the busy timeout of the store.

    door.py       HTTP: token, host, origin, size; JSON in, envelopes out       calls.py, openapi.py: what can be asked
    keeper.py     the life of episodes; on one thread, so nothing here is locked
    registry.py   control's own SQLite file: leases, tokens, snapshots, answers by request id
    places.py     the folders: what workers may know is written from the registry, never the other way

The registry is the truth. An operation changes folders, then commits; after a crash at any point `Places.reconcile`
makes the folders what the registry says: it writes `public.json` and tokens anew, ends tokens that nobody was given and
removes folders that no episode has. Expectations are never stored: they are computed from world, task and seed.
"""
