"""What the readers keep is told of every write by the writer itself, before whoever wrote is told that it is done."""

from pathlib import Path

from reverie.protocol import requests as ask
from unit.app.asker import asker

QUESTION = "where does the lantern of the harbour stand"


async def test_an_answer_with_what_is_kept_is_the_answer_without(tmp_path: Path) -> None:
    async with asker(tmp_path) as known:
        ids = [
            await known.store(f"the lantern of the harbour stands at pier {n}", session_id="s", speaker="Ada")
            for n in range(8)
        ]
        changes = (
            lambda: known.remember.update(
                ask.Update(id=0, memory=ids[0], content="the lantern was sold"), known.caller
            ),
            lambda: known.feedback.tag(ask.Tag(id=0, memory=ids[1], tags=["harbour"]), known.caller),
            lambda: known.feedback.reinforce(ask.Reinforce(id=0, memory=ids[2]), known.caller),
            lambda: known.feedback.archive(ask.Archive(id=0, memory=ids[3]), known.caller),
            lambda: known.feedback.restore(ask.Restore(id=0, memory=ids[3]), known.caller),
            lambda: known.feedback.delete(ask.Delete(id=0, memory=ids[4]), known.caller),
            lambda: known.feedback.erase(ask.Erase(id=0, memory=ids[5]), known.caller),
        )
        for change in changes:
            await known.recall_afresh(QUESTION, include_archived=True)
            await known.written(change())
            with_kept = await known.recall_afresh(QUESTION, include_archived=True)
            known.life.readers.kept_live.clear()
            known.life.readers.kept_archive.clear()
            without = await known.recall_afresh(QUESTION, include_archived=True)
            assert [(one.id, one.score, one.content) for one in with_kept.memories] == [
                (one.id, one.score, one.content) for one in without.memories
            ]


async def test_words_are_gone_from_what_is_kept_when_their_erasure_is_acknowledged(tmp_path: Path) -> None:
    async with asker(tmp_path) as known:
        id_ = await known.store("the lantern of the harbour")
        await known.recall_afresh(QUESTION)
        kept = known.life.readers.kept_live.gists.gists
        assert kept.known([id_])
        await known.written(known.feedback.erase(ask.Erase(id=0, memory=id_), known.caller))
        assert not kept.known([id_])


async def test_nothing_is_kept_of_a_file_that_another_takes_the_place_of(tmp_path: Path) -> None:
    async with asker(tmp_path) as known:
        id_ = await known.store("the lantern of the harbour")
        await known.recall_afresh(QUESTION)
        async with known.life.readers.live.set_aside():
            pass
        assert not known.life.readers.kept_live.gists.gists.known([id_])
