"""Consolidating: near-duplicates become one, old sessions an account; nothing is lost, and a dry run says it all."""

from pathlib import Path

from reveried.app.commands import Command, Step
from reveried.config.schema import Config
from reveried.domain import decide
from reveried.domain.consolidating.policy import ConsolidationPolicy
from reveried.domain.events import MemoryCompressed, MemoryErased, MemoryMerged, MemoryRestored
from reveried.jobs.runner import Ran
from unit.domain.histories import reworded
from unit.jobs.living import Life, Turned, life
from unit.jobs.vectors import Chosen, embedded, towards

TEA = "Ada prefers green tea in the morning."
MORE = "In the morning Ada prefers green tea. She drinks it very hot."


async def told(living: Life, job: str = "consolidate") -> Ran:
    """A run that changes exactly what its dry run named."""
    named = await living.run(job, dry_run=True)
    before = await living.memories()
    ran = await living.run(job)
    after = await living.memories()
    assert {change.id for change in named.changes} == {id_ for id_ in before if before[id_].seq != after[id_].seq}
    assert await living.equals_its_replay()
    return ran


async def pair(
    living: Life, cosine: float = 0.93, one: str = TEA, other: str = MORE, plane: int = 0
) -> tuple[int, int]:
    first = await living.remember(one, importance=0.8, tags_manual=("drinks",))
    second = await living.remember(other, importance=0.4, tags_manual=("hot",))
    await embedded(living, {first: towards(1, plane), second: towards(cosine, plane)})
    return first, second


async def test_of_two_near_duplicates_the_more_important_stands_for_both(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), embedder=Chosen()) as living:
        kept, gone = await pair(living)
        ran = await told(living)
        after = await living.memories()
        assert ran.changed == {"compressed": 1}
        assert after[kept].content == f"{TEA}\nShe drinks it very hot."
        assert set(after[kept].tags_manual) == {"drinks", "hot"}
        assert (after[gone].compressed_into, after[gone].state) == (kept, "archived")
        assert after[kept].access_count == 0, "tidying up is no access"


async def test_below_the_line_and_without_a_model_nothing_is_touched(tmp_path: Path) -> None:
    async with life(tmp_path / "a", Turned(), embedder=Chosen()) as living:
        await pair(living, cosine=0.87)
        assert (await told(living)).changed == {}
    async with life(tmp_path / "b", Turned()) as living:
        await pair(living)
        ran = await told(living)
        assert ran.changed == {}
        assert any("nothing was compared" in note for note in ran.notes)


async def test_what_differs_in_a_number_a_name_or_a_denial_stays_two_however_near(tmp_path: Path) -> None:
    pairs = [
        ("The harbour gate opens at 6.", "The harbour gate opens at 7."),
        ("Ada leads the harbour team.", "Bob leads the harbour team."),
        ("The build needs the old compiler.", "The build does not need the old compiler."),
        ("The review is on Monday.", "The review is on Tuesday."),
    ]
    async with life(tmp_path, Turned(), embedder=Chosen()) as living:
        for plane, (one, other) in enumerate(pairs):
            await pair(living, 0.99, one, other, plane)
        assert (await told(living)).changed == {}


async def test_what_circumstances_tell_apart_stays_two(tmp_path: Path) -> None:
    apart = [
        {"trust": "low"},
        {"expires_at": 2_000_000_000_000_000},
        {"speaker": "Ada"},
        {"pinned": True, "importance": 0.1},
        {"dedup": False},
        {"session_id": "s", "speaker": "Ada"},
    ]
    async with life(tmp_path, Turned(), embedder=Chosen()) as living:
        for number, fields in enumerate(apart):
            words = f"in house {number}"
            first = await living.remember(f"Tea is served cold {words}.", **({"pinned": True} if number == 3 else {}))
            second = await living.remember(f"Cold tea is served {words}.", **fields)
            await embedded(living, {first: towards(1, number), second: towards(0.97, number)})
        assert (await told(living)).changed == {}


async def test_who_was_restored_is_not_compressed_again(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), embedder=Chosen()) as living:
        _, gone = await pair(living)
        await told(living)
        await living.tell(MemoryRestored(), subject=gone)
        assert (await told(living)).changed == {}
        assert (await living.memories())[gone].state == "active"


async def test_three_alike_end_as_one_in_one_run(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), embedder=Chosen()) as living:
        await pair(living)
        third = await living.remember("In the mornings Ada prefers green tea.", importance=0.9)
        await embedded(living, {third: towards(0.98)})
        assert (await told(living)).changed == {"compressed": 2}
        after = await living.memories()
        assert sorted(memory.compressed_into is None for memory in after.values()) == [False, False, True]
        assert (await told(living)).changed == {}


async def test_what_was_compared_is_not_compared_again_until_it_changes(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), embedder=Chosen()) as living:
        await pair(living, one="The gate opens at 6.", other="The gate opens at 7.")
        living.clock.pass_days(2)
        first = await told(living)
        assert "compared above 0.88 by chosen" in first.notes
        looked: list[object] = []
        alike = living.semantics.alike

        async def counted(namespace: str, floor: float, most: int, new: object) -> list[tuple[int, int, float]]:
            looked.append(new)
            return await alike(namespace, floor, most, new)  # type: ignore[arg-type]

        living.semantics.alike = counted  # type: ignore[method-assign]
        living.clock.pass_days(3)
        await told(living)
        assert looked == [], "nothing is new"
        late = await living.remember("The door opens at 6.")
        await embedded(living, {late: towards(0.1)})
        await told(living)
        assert looked == [[late], [late]]


async def test_a_line_drawn_too_low_is_warned_of(tmp_path: Path) -> None:
    low = Config(consolidation=ConsolidationPolicy(similarity=0.7))
    async with life(tmp_path, Turned(), low, Chosen()) as living:
        assert any("below 0.8" in note for note in (await told(living)).notes)
    assert ConsolidationPolicy(similarity=0.8).warning == ""


async def sessions(living: Life, number: int) -> dict[str, list[int]]:
    found = {}
    for session in range(number):
        living.clock.pass_days(1)
        found[f"s-{session}"] = [
            await living.remember(
                f"Walked to lighthouse {session}. The lamp was lit.", kind="activity", session_id=f"s-{session}"
            ),
            await living.remember(f"Ada met keeper {session}.", kind="event", session_id=f"s-{session}"),
            await living.remember(f"Lighthouse {session} is white.", kind="fact", session_id=f"s-{session}"),
        ]
    return found


async def test_ten_sessions_stay_and_of_eleven_the_oldest_five_are_told(tmp_path: Path) -> None:
    async with life(tmp_path, Turned()) as living:
        found = await sessions(living, 10)
        assert (await told(living)).changed == {}
        found |= {"late": [await living.remember("Sailed home.", kind="activity", session_id="late")]}
        assert (await told(living)).changed == {"sessions": 5, "told": 10}
        after = await living.memories()
        for name, (walked, met, fact) in list(found.items())[:5]:
            account = after[after[walked].compressed_into or 0]
            assert (account.source, account.session_id, account.source_ref) == (
                "consolidation",
                name,
                f"session:{name}",
            )
            assert (account.system, account.drawn_from) == ("semantic", (walked, met))
            assert account.content == f"{after[walked].content}\n{after[met].content}"
            assert (after[walked].state, after[met].compressed_into) == ("active", account.id)
            assert after[fact].compressed_into is None, "a fact outlives its session"
        assert all(after[id_].compressed_into is None for name in list(found)[5:] for id_ in found[name])
        assert (await told(living)).changed == {}


async def test_who_comes_back_from_an_account_is_not_told_again_but_who_comes_new_is(tmp_path: Path) -> None:
    one = Config(consolidation=ConsolidationPolicy(sessions_kept=1))
    async with life(tmp_path, Turned(), one) as living:
        found = await sessions(living, 2)
        await told(living)
        first = found["s-0"][0]
        await living.tell(MemoryRestored(), subject=first)
        assert (await told(living)).changed == {}
        assert (await living.memories())[first].compressed_into is None
        await living.remember("Went on in the old session.", kind="activity", session_id="s-0")
        await living.remember("And in another.", kind="activity", session_id="s-2")
        assert (await told(living)).changed["sessions"] == 2


async def test_erasing_an_original_takes_the_account_and_gives_the_others_back(tmp_path: Path) -> None:
    one = Config(consolidation=ConsolidationPolicy(sessions_kept=1, sessions_at_once=1))
    async with life(tmp_path, Turned(), one) as living:
        walked, met, _ = (await sessions(living, 2))["s-0"]
        await told(living)
        account = (await living.memories())[walked].compressed_into
        step = Step(decide=lambda view: decide.erase(view.get(walked), "", view.holding(view.get(walked))))  # type: ignore[arg-type]
        await living.writer.submit(Command(namespace="default", actor="tests", steps=(step,), erases=True))
        after = await living.memories()
        assert walked not in after
        assert account not in after, "it holds words of the erased one"
        assert (after[met].compressed_into, after[met].drawn_from) == (None, ())
        assert await living.equals_its_replay()
        assert not [path for path in tmp_path.rglob("*.db*") if b"lighthouse 0. " in path.read_bytes()]


async def test_purging_an_original_takes_the_account_too_and_says_so(tmp_path: Path) -> None:
    one = Config(consolidation=ConsolidationPolicy(sessions_kept=1, sessions_at_once=1))
    async with life(tmp_path, Turned(), one) as living:
        walked, met, _ = (await sessions(living, 2))["s-0"]
        await told(living)
        account = (await living.memories())[walked].compressed_into
        (deleted,) = decide.delete((await living.memories())[walked], "", "").events
        await living.tell(deleted, subject=walked)
        for _ in range(100):
            living.clock.pass_days(1)
            await living.tell(MemoryMerged(into=0, how="duplicate", added=""), subject=0)
        named = await living.run("purge", dry_run=True)
        assert {change.id for change in named.changes} == {walked, account}
        await living.run("purge")
        after = await living.memories()
        assert (walked in after, account in after, after[met].compressed_into) == (False, False, None)
        assert len(await living.events(MemoryErased)) == 2
        assert await living.equals_its_replay()


async def test_an_account_is_trusted_no_more_than_what_it_tells(tmp_path: Path) -> None:
    one = Config(consolidation=ConsolidationPolicy(sessions_kept=1))
    async with life(tmp_path, Turned(), one) as living:
        await living.remember("Somebody wrote this.", kind="activity", session_id="a", trust="low")
        living.clock.pass_days(1)
        await living.remember("And this.", kind="activity", session_id="b")
        await told(living)
        accounts = [memory for memory in (await living.memories()).values() if memory.drawn_from]
        assert sorted(account.trust for account in accounts) == ["low", "normal"]
        assert [event.by for event in await living.events(MemoryCompressed)] == ["extractive"] * 2


async def test_a_session_that_changed_meanwhile_is_left_for_the_next_run(tmp_path: Path) -> None:
    one = Config(consolidation=ConsolidationPolicy(sessions_kept=1, sessions_at_once=1))
    async with life(tmp_path, Turned(), one) as living:
        walked, *_ = (await sessions(living, 2))["s-0"]
        summaries = living.runner._work.summaries
        of_session = summaries.of_session

        async def slowly(session: object) -> object:
            written = await of_session(session)  # type: ignore[arg-type]
            await living.tell(reworded("Stayed at home."), subject=walked)
            return written

        summaries.of_session = slowly  # type: ignore[method-assign, assignment]
        assert (await living.run("consolidate")).changed == {}
        summaries.of_session = of_session  # type: ignore[method-assign]
        assert (await living.run("consolidate")).changed["sessions"] == 1
