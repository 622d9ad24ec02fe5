-- Control's own memory. Tables that a live episode hangs on are emptied with it.
CREATE TABLE IF NOT EXISTS episode(
  id TEXT NOT NULL PRIMARY KEY,
  folder TEXT NOT NULL UNIQUE,
  world TEXT NOT NULL,
  world_digest TEXT NOT NULL,
  task TEXT,
  seed INTEGER,
  task_digest TEXT,
  person_id TEXT NOT NULL,
  inject TEXT NOT NULL,
  public TEXT NOT NULL,
  ttl_s INTEGER NOT NULL CHECK(ttl_s > 0),
  expires INTEGER NOT NULL,
  seq INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS episode_expires ON episode(expires);
CREATE TABLE IF NOT EXISTS token(
  token TEXT NOT NULL PRIMARY KEY,
  episode TEXT NOT NULL REFERENCES episode(id) ON DELETE CASCADE,
  person_id TEXT NOT NULL,
  UNIQUE(episode, person_id)
) STRICT;
CREATE TABLE IF NOT EXISTS snapshot(
  id TEXT NOT NULL PRIMARY KEY,
  episode TEXT NOT NULL REFERENCES episode(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  pages BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS snapshot_episode ON snapshot(episode);
CREATE TABLE IF NOT EXISTS snapshot_file(
  snapshot TEXT NOT NULL REFERENCES snapshot(id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY(snapshot, name)
) STRICT;
-- Steps of the simulated clock that control was asked for, noted before they are made: a journal has no others.
CREATE TABLE IF NOT EXISTS step(
  number INTEGER PRIMARY KEY,
  episode TEXT NOT NULL REFERENCES episode(id) ON DELETE CASCADE,
  seconds INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS step_episode ON step(episode);
-- Why an episode is no more, for a day.
CREATE TABLE IF NOT EXISTS ended(id TEXT NOT NULL PRIMARY KEY, why TEXT NOT NULL, at INTEGER NOT NULL) STRICT;
-- What a request id was answered with, for a day. Without an answer: begun, and broken off by a crash.
CREATE TABLE IF NOT EXISTS request(
  id TEXT NOT NULL PRIMARY KEY,
  digest TEXT NOT NULL,
  mark INTEGER NOT NULL,
  answer TEXT,
  at INTEGER NOT NULL
) STRICT;
