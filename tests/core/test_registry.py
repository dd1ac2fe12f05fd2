"""The registry: dot paths, isolation in both directions, absence."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tether.core.errors import InvalidInitialRegistryValue, InvalidRegistryPath, TetherError
from tether.core.registry import ABSENT, Registry

names = st.sampled_from(["a", "b", "c"])
paths = st.lists(names, min_size=1, max_size=4)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
trees = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(names, inner), max_leaves=12
)
tables = st.dictionaries(names, trees)


class Connection:
    """An object that is not data."""


class Row(NamedTuple):
    name: str
    tags: tuple[str, ...]


def scribble(value: Any) -> None:
    """Change every container inside a value."""
    if isinstance(value, dict):
        for inner in value.values():
            scribble(inner)
        value["scribbled"] = True
    elif isinstance(value, list):
        for inner in value:
            scribble(inner)
        value.append("scribbled")


def look_up(tree: Any, segments: list[str]) -> Any:
    """The naive reading of a path: one key after the other."""
    if not segments:
        return tree
    if not isinstance(tree, dict) or segments[0] not in tree:
        return ABSENT
    return look_up(tree[segments[0]], segments[1:])


def assigned(tree: Any, segments: list[str], value: Any) -> Any:
    """The naive writing of a path: a new tree, or KeyError where a leaf is in the way."""
    if not segments:
        return value
    if not isinstance(tree, dict):
        raise KeyError(segments[0])
    first, *rest = segments
    return tree | {first: assigned(tree.get(first, {}), rest, value)}


def leaf_paths(tree: dict[str, Any]) -> list[str]:
    found: list[str] = []
    for key, value in tree.items():
        below = leaf_paths(value) if isinstance(value, dict) else []
        found += [f"{key}.{path}" for path in below] or [key]
    return found


@pytest.mark.parametrize("initial", [None, {}, {"a": 1}])
def test_it_accepts_nothing_or_a_plain_dictionary(initial: dict[str, Any] | None) -> None:
    # CONTRACT 51
    assert Registry(initial).all() == (initial or {})
    assert Registry().all() == {}


@pytest.mark.parametrize("initial", [[], [1], (), "", "a", 0, 1, False, True, 1.5, {1}, object()])
def test_it_rejects_arrays_and_primitives(initial: Any) -> None:
    # CONTRACT 51
    with pytest.raises(InvalidInitialRegistryValue) as refused:
        Registry(initial)
    assert refused.value.code == "E_INVALID_INITIAL_REGISTRY_VALUE"
    assert [problem.path for problem in refused.value.problems] == ["initial"]


@given(tables)
def test_caller_changes_to_the_initial_object_do_not_leak_in(initial: dict[str, Any]) -> None:
    # CONTRACT 52
    expected = copy.deepcopy(initial)
    registry = Registry(initial)
    scribble(initial)
    assert registry.all() == expected


@given(tables)
def test_changes_to_got_values_or_snapshots_do_not_leak_back(initial: dict[str, Any]) -> None:
    # CONTRACT 52
    registry = Registry(initial)
    scribble(registry.all())
    for key in initial:
        scribble(registry.get(key))
    assert registry.all() == initial


@given(trees)
def test_caller_changes_to_a_value_after_set_do_not_leak_in(value: Any) -> None:
    # CONTRACT 52, with the decision at the top of the contract: `set` stores a copy too
    expected = copy.deepcopy(value)
    registry = Registry()
    registry.set("a.b", value)
    scribble(value)
    assert registry.get("a.b") == expected
    assert registry.all() == {"a": {"b": expected}}


@given(tables)
def test_a_clone_and_its_original_are_independent(initial: dict[str, Any]) -> None:
    original = Registry(initial)
    clone = original.clone()
    clone.set("z", 1)
    original.set("y", 1)
    assert original.all() == initial | {"y": 1}
    assert clone.all() == initial | {"z": 1}


def test_tuples_sets_and_bytearrays_are_copied_too() -> None:
    inner = [1]
    given: dict[str, Any] = {"tuple": (inner,), "set": {1}, "bytes": bytearray(b"a")}
    registry = Registry(given)
    inner.append(2)
    given["set"].add(2)
    given["bytes"].append(0)
    registry.get("tuple")[0].append(3)
    registry.get("set").add(3)
    registry.get("bytes").append(1)
    assert registry.all() == {"tuple": ([1],), "set": {1}, "bytes": bytearray(b"a")}


def test_dot_paths_read_and_write_nested_values_creating_parents() -> None:
    # CONTRACT 53
    registry = Registry({"org": {"budget": {"left": 5}}})
    assert registry.get("org.budget.left") == 5
    assert registry.get("org.budget") == {"left": 5}
    registry.set("org.budget.spent", 2)
    registry.set("new.path.here", "x")
    assert registry.all() == {
        "org": {"budget": {"left": 5, "spent": 2}},
        "new": {"path": {"here": "x"}},
    }


@given(tables, st.lists(st.tuples(paths, trees), max_size=6), paths)
def test_reading_and_writing_agree_with_a_naive_reading_of_paths(
    initial: dict[str, Any], writes: list[tuple[list[str], Any]], asked: list[str]
) -> None:
    # CONTRACT 53, 54
    registry, model = Registry(initial), initial
    for segments, value in writes:
        try:
            model = assigned(model, segments, value)
        except KeyError:
            with pytest.raises(InvalidRegistryPath):
                registry.set(".".join(segments), value)
        else:
            registry.set(".".join(segments), value)
        assert registry.all() == model
    found = look_up(model, asked)
    assert registry.has(".".join(asked)) is (found is not ABSENT)
    assert registry.get(".".join(asked), ABSENT) == found
    assert sorted(registry.keys()) == sorted(leaf_paths(model))


def test_the_default_is_returned_for_absent_paths() -> None:
    # CONTRACT 54
    registry, default = Registry({"a": {"b": None}}), object()
    for path in ("x", "a.x", "a.b.x", "x.y.z"):
        assert registry.get(path, default) is default
    assert registry.get("a.b", default) is None


def test_an_absent_path_without_default_is_none() -> None:
    # CONTRACT 54
    assert Registry().get("a") is None


def test_the_default_is_handed_over_as_it_is() -> None:
    default: list[int] = []
    assert Registry().get("a", default) is default


def test_has_is_false_for_stored_absence() -> None:
    # CONTRACT 55
    registry = Registry({"a": 1, "b": {"c": 1}})
    registry.set("a", ABSENT)
    registry.set("b.c", ABSENT)
    assert registry.has("a") is registry.has("b.c") is registry.has("never") is False
    assert registry.get("a", "default") == "default"
    assert "a" not in registry.keys()  # noqa: SIM118
    assert repr(ABSENT) == "ABSENT"


def test_stored_absence_shows_neither_in_snapshots_nor_in_branches() -> None:
    # CONTRACT 55: a path that is absent is nowhere
    registry = Registry({"a": 1, "b": {"c": 1, "d": 2}})
    registry.set("a", ABSENT)
    registry.set("b.c", ABSENT)
    assert registry.get("b") == {"d": 2}
    assert registry.all() == {"b": {"d": 2}}


def test_an_absent_path_can_be_filled_again() -> None:
    registry = Registry({"a": 1})
    registry.set("a", ABSENT)
    registry.set("a.b", 2)
    assert registry.get("a") == {"b": 2}


@pytest.mark.parametrize("value", [0, "", False, None, [], {}])
def test_has_is_true_for_empty_values(value: object) -> None:
    # CONTRACT 55
    registry = Registry()
    registry.set("a.b", value)
    assert registry.has("a.b") is True
    assert registry.get("a.b", "default") == value
    assert registry.keys() == ["a.b"]


def test_lists_are_leaves() -> None:
    registry = Registry({"a": [{"b": 1}]})
    assert registry.keys() == ["a"]
    assert registry.has("a.0") is registry.has("a.b") is False
    with pytest.raises(InvalidRegistryPath):
        registry.set("a.0", 1)


@pytest.mark.parametrize("leaf", [1, "text", None, [1], (1,), Connection()])
@pytest.mark.parametrize("path", ["a.b.c", "a.b.c.d.e"])
def test_setting_below_a_leaf_is_refused_and_changes_nothing(leaf: object, path: str) -> None:
    registry = Registry({"a": {"b": leaf}, "z": 1})
    with pytest.raises(InvalidRegistryPath, match=r"'a\.b' holds") as refused:
        registry.set(path, 1)
    assert refused.value.code == "E_INVALID_REGISTRY_PATH"
    assert registry.all() == {"a": {"b": leaf}, "z": 1}


def test_setting_a_circular_value_fails_and_changes_nothing() -> None:
    circular: list[Any] = []
    circular.append(circular)
    registry = Registry({"z": 1})
    with pytest.raises((TetherError, RecursionError)):
        registry.set("a.b.c", circular)
    assert registry.all() == {"z": 1}


@pytest.mark.parametrize("path", ["", ".", "a.", ".a", "a..b", None, 5, ["a"]])
def test_a_path_is_names_joined_by_dots(path: Any) -> None:
    registry = Registry({"a": 1})
    for use in (registry.get, registry.has, lambda given: registry.set(given, 1)):
        with pytest.raises(InvalidRegistryPath):
            use(path)
    assert registry.all() == {"a": 1}


def test_instances_are_handed_over_by_identity() -> None:
    connection, row = Connection(), Row("a", ("b",))
    registry = Registry({"connection": connection})
    registry.set("rows", [row])
    assert registry.get("connection") is connection
    assert registry.all()["connection"] is connection
    assert registry.clone().get("connection") is connection
    assert registry.get("rows")[0] is row


def test_keys_are_leaf_paths_in_order_of_insertion() -> None:
    registry = Registry({"b": {"y": 1, "x": {}}, "a": [1]})
    registry.set("b.z.w", 1)
    registry.set("b.y", 2)
    assert registry.keys() == ["b.y", "b.x", "b.z.w", "a"]


def test_a_snapshot_seeds_an_equal_registry() -> None:
    registry = Registry({"a": {"b": [1, {"c": None}]}})
    assert Registry(registry.all()).all() == registry.all()


def test_a_copy_of_a_registry_is_independent_and_absent_stays_the_one_absent() -> None:
    registry = Registry({"a": {"b": 1}})
    twin = copy.copy(registry)
    twin.set("a.b", 2)
    assert registry.get("a.b") == 1
    assert copy.deepcopy(ABSENT) is ABSENT
