"""The shortest way through the whole house."""

from running import RunningDaemon


def test_what_was_stored_is_found_and_survives_a_kill(start):  # type: ignore[no-untyped-def]
    daemon: RunningDaemon = start()
    with daemon.client() as client:
        stored = client.store("The staging database lives on amber-17", tags=["infra"])
        assert stored.outcome == "stored"
        assert [memory.id for memory in client.recall("where is the staging database").memories] == [stored.id]
    daemon.kill()
    daemon.start()
    with daemon.client() as client:
        assert client.get(stored.id).content == "The staging database lives on amber-17"
        assert client.verify().ok
