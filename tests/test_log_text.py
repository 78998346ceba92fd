from __future__ import annotations

from tfcore.log_text import Ends, lines_with


def pieces_of(text: bytes, size: int = 7):
    return [text[start : start + size] for start in range(0, len(text), size)]


def test_the_lines_that_hold_the_words_are_found_in_any_case_wherever_pieces_are_cut():
    text = b"first MatMul\r\nsecond\nthird matmul\nlast"
    assert lines_with("MATMUL", pieces_of(text), 1000) == ("first MatMul\nthird matmul", False)
    assert lines_with("last", pieces_of(text), 1000) == ("last", False)
    assert lines_with("", pieces_of(text), 1000)[0].splitlines() == ["first MatMul", "second", "third matmul", "last"]


def test_no_more_lines_are_given_than_can_be_shown():
    found, more = lines_with("a", pieces_of(b"aaaa\n" * 100), 20)
    assert (len(found), more) == (20, True)


def test_text_in_another_encoding_is_searched_too():
    assert lines_with("größe", pieces_of("eine Größe\n".encode("utf-16"), 4), 100)[0] == "eine Größe"


def test_a_line_without_an_end_is_cut_and_not_gathered_for_ever():
    piece = b"x" * (1 << 20)
    found, more = lines_with("x", [piece] * 5, 1 << 30)
    assert (len(found.replace("\n", "")), more) == (5 << 20, False)


def test_the_beginning_and_the_end_of_a_log_are_kept():
    ends = Ends(4)
    for piece in pieces_of(b"0123456789abcdef", 3):
        ends.add(piece)
    assert ends.text() == "0123\ncdef"


def test_a_short_log_is_kept_whole():
    ends = Ends(100)
    for piece in (b"one\n", b"two"):
        ends.add(piece)
    assert ends.text() == "one\ntwo"
