"""Sixty-four bytes at a time: operations that Numba lacks, as LLVM makes them of vectors.

LLVM turns each into one or a few instructions of the processor at hand. Kernels take arrays, but
these and the helpers that kernels call in loops take addresses: each array that is passed on costs
two atomic counts of its references, more than most helpers do.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

# What the processor offers to look up 64 bytes at once: Numba's answer, which can be overruled.
_FEATURES = str(cpu_target.target_context.codegen().magic_tuple()[2]).split(",")
VECTOR = "avx512" if "+avx512bw" in _FEATURES else "avx2" if "+avx2" in _FEATURES else ""

_BLOCK = ir.VectorType(ir.IntType(8), 64)
_SIXTEEN = ir.VectorType(ir.IntType(8), 16)
_INT = ir.IntType(64)


def _load(builder: ir.IRBuilder, address: ir.Value, kind: ir.VectorType = _BLOCK) -> ir.Value:
    return builder.load(builder.inttoptr(address, ir.PointerType(kind)), align=1)


def _same(value: int, kind: ir.VectorType = _BLOCK) -> ir.Constant:
    return ir.Constant(kind, [value] * kind.count)


def _spread(builder: ir.IRBuilder, byte: ir.Value, kind: ir.VectorType) -> ir.Value:
    undefined = ir.Constant(kind, ir.Undefined)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    first = builder.insert_element(undefined, byte, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, undefined, zeros)


def _bits(builder: ir.IRBuilder, answers: ir.Value) -> ir.Value:
    """The answers for each byte as the bits of one number."""
    bits = builder.bitcast(answers, ir.IntType(answers.type.count))
    return bits if answers.type.count == _INT.width else builder.zext(bits, _INT)


def _equals(kind: ir.VectorType) -> Any:
    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        byte = _spread(builder, args[1], kind)
        return _bits(builder, builder.icmp_unsigned("==", _load(builder, args[0], kind), byte))

    return types.uint64(types.intp, types.uint8), code


@intrinsic
def equals(_context: Any, _address: Any, _byte: Any) -> Any:
    """Bit i is set where byte i of the 64 at `address` is `byte`."""
    return _equals(_BLOCK)


@intrinsic
def equals_of_16(_context: Any, _address: Any, _byte: Any) -> Any:
    """Bit i is set where byte i of the 16 at `address` is `byte`."""
    return _equals(_SIXTEEN)


@intrinsic
def below(_context: Any, _address: Any, _byte: Any) -> Any:
    """Bit i is set where byte i of the 64 at `address` is below `byte`."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        byte = _spread(builder, args[1], _BLOCK)
        return _bits(builder, builder.icmp_unsigned("<", _load(builder, args[0]), byte))

    return types.uint64(types.intp, types.uint8), code


@intrinsic
def above_ascii(_context: Any, _address: Any) -> Any:
    """Bit i is set where byte i of the 64 at `address` is 128 or more."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        return _bits(builder, builder.icmp_signed("<", _load(builder, args[0]), _same(0)))

    return types.uint64(types.intp), code


def _ascii_words(kind: ir.VectorType) -> Any:
    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        block = _load(builder, args[0], kind)
        from_a = builder.sub(builder.or_(block, _same(0x20, kind)), _same(ord("a"), kind))
        letter = builder.icmp_unsigned("<", from_a, _same(26, kind))
        from_0 = builder.sub(block, _same(ord("0"), kind))
        digit = builder.icmp_unsigned("<", from_0, _same(10, kind))
        underscore = builder.icmp_unsigned("==", block, _same(ord("_"), kind))
        return _bits(builder, builder.or_(builder.or_(letter, digit), underscore))

    return types.uint64(types.intp), code


@intrinsic
def ascii_words(_context: Any, _address: Any) -> Any:
    """Bit i is set where byte i of the 64 at `address` is an ASCII letter, digit or `_`."""
    return _ascii_words(_BLOCK)


@intrinsic
def ascii_words_of_16(_context: Any, _address: Any) -> Any:
    """Bit i is set where byte i of the 16 at `address` is an ASCII letter, digit or `_`."""
    return _ascii_words(_SIXTEEN)


def _look_up(builder: ir.IRBuilder, table: ir.Value, places: ir.Value) -> ir.Value:
    """For each of 64 numbers below 16, that entry of the table of 16 bytes."""
    if VECTOR == "avx512":
        return _call_vector(builder, "llvm.x86.avx512.pshuf.b.512", 64, table, places)
    halves = [
        _call_vector(builder, "llvm.x86.avx2.pshuf.b", 32, table, _half(builder, places, start))
        for start in (0, 32)
    ]
    return builder.shuffle_vector(*halves, ir.Constant(_places(64), list(range(64))))


def _call_vector(
    builder: ir.IRBuilder, name: str, size: int, table: ir.Value, places: ir.Value
) -> ir.Value:
    block = ir.VectorType(ir.IntType(8), size)
    repeated = ir.Constant(_places(size), [i % 16 for i in range(size)])
    wide = builder.shuffle_vector(table, ir.Constant(table.type, ir.Undefined), repeated)
    function = ir.FunctionType(block, [block, block])
    return builder.call(
        cgutils.get_or_insert_function(builder.module, function, name), [wide, places]
    )


def _half(builder: ir.IRBuilder, block: ir.Value, start: int) -> ir.Value:
    places = ir.Constant(_places(32), list(range(start, start + 32)))
    return builder.shuffle_vector(block, ir.Constant(_BLOCK, ir.Undefined), places)


def _places(size: int) -> ir.VectorType:
    return ir.VectorType(ir.IntType(32), size)


@intrinsic
def likely_beginnings(_context: Any, _address: Any, _tables: Any) -> Any:
    """Bit i is set where the three bytes from byte i of the 64 at `address` may begin a word.

    The words are shared out among eight buckets. For each of the three places, one table by the low
    and one by the high half of the byte say in which buckets it occurs there; a bucket that all six
    name is a likely beginning. Where the processor cannot look up 64 bytes at once, all bits are
    set, and the filter that follows does all the work.
    """

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        if not VECTOR:
            return ir.Constant(_INT, 0xFFFF_FFFF_FFFF_FFFF)
        table_type = ir.VectorType(ir.IntType(8), 16)
        possible = _same(0xFF)
        for letter in range(3):
            block = _load(builder, builder.add(args[0], ir.Constant(args[0].type, letter)))
            low = builder.and_(block, _same(0x0F))
            high = builder.lshr(block, _same(4))
            for half, places in enumerate((low, high)):
                offset = ir.Constant(args[1].type, 16 * (2 * letter + half))
                pointer = builder.inttoptr(builder.add(args[1], offset), ir.PointerType(table_type))
                table = builder.load(pointer, align=1)
                possible = builder.and_(possible, _look_up(builder, table, places))
        return builder.bitcast(builder.icmp_unsigned("!=", possible, _same(0)), _INT)

    return types.uint64(types.intp, types.intp), code


@intrinsic
def eight_bytes(_context: Any, _address: Any) -> Any:
    """The eight bytes at `address`, the first in the lowest bits."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        return builder.load(builder.inttoptr(args[0], ir.PointerType(_INT)), align=1)

    return types.uint64(types.intp), code


@intrinsic
def put_eight_bytes(_context: Any, _address: Any, _bytes: Any) -> Any:
    """Write eight bytes at `address`, the lowest bits first."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        builder.store(args[1], builder.inttoptr(args[0], ir.PointerType(_INT)), align=1)
        return _context.get_dummy_value()

    return types.void(types.intp, types.uint64), code


@intrinsic
def copy_block(_context: Any, _target: Any, _source: Any) -> Any:
    """Copy the 64 bytes at the address `_source` to the address `_target`."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        pointer = builder.inttoptr(args[0], ir.PointerType(_BLOCK))
        builder.store(_load(builder, args[1]), pointer, align=1)
        return _context.get_dummy_value()

    return types.void(types.intp, types.intp), code


@intrinsic
def one_byte(_context: Any, _address: Any) -> Any:
    """The byte at `address`."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        pointer = builder.inttoptr(args[0], ir.PointerType(ir.IntType(8)))
        return builder.zext(builder.load(pointer), _INT)

    return types.int64(types.intp), code


@intrinsic
def four_bytes(_context: Any, _address: Any) -> Any:
    """The four bytes at `address`, the first in the lowest bits."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        pointer = builder.inttoptr(args[0], ir.PointerType(ir.IntType(32)))
        return builder.zext(builder.load(pointer, align=1), _INT)

    return types.uint64(types.intp), code


@intrinsic
def bit_count(_context: Any, _bits: Any) -> Any:
    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        return builder.ctpop(args[0])

    return types.int64(types.uint64), code


@intrinsic
def lowest_bit(_context: Any, _bits: Any) -> Any:
    """The place of the lowest set bit; 64 where there is none."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: Any) -> ir.Value:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), code
