/// A statement's result. The memory is libpq's, and is freed with this object.
@safe package final class PostgresRows {
    private let libpq: LibPQ
    private let result: LibPQ.Result
    package let count: Int

    /// Takes ownership of `result`.
    init(_ libpq: LibPQ, _ result: LibPQ.Result) {
        self.libpq = libpq
        unsafe self.result = unsafe result
        count = Int(unsafe libpq.tupleCount(result))
    }

    deinit { unsafe libpq.clear(result) }

    package subscript(_ index: Int) -> Row {
        precondition((0..<count).contains(index), "row \(index) of \(count)")
        return Row(rows: self, index: Int32(index))
    }

    package var first: Row? { count > 0 ? self[0] : nil }

    /// One row. Columns have to be read with the type that the statement gives them.
    package struct Row {
        fileprivate let rows: PostgresRows
        fileprivate let index: Int32

        package func isNull(_ column: Int32) -> Bool {
            unsafe rows.libpq.isNull(rows.result, index, column) != 0
        }

        /// A column of type `smallint`, `int` or `bigint`.
        package func integer(_ column: Int32) -> Int64 {
            let bytes = unsafe buffer(column)
            precondition([2, 4, 8].contains(bytes.count), "column \(column) is no integer")
            let isNegative = unsafe bytes[0] & 0x80 != 0
            return unsafe bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
        }

        package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

        package func bool(_ column: Int32) -> Bool {
            let bytes = unsafe buffer(column)
            precondition(bytes.count == 1, "column \(column) is no boolean")
            return unsafe bytes[0] != 0
        }

        package func text(_ column: Int32) -> String { unsafe String(decoding: buffer(column), as: UTF8.self) }

        package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

        package func bytes(_ column: Int32) -> [UInt8] { unsafe [UInt8](buffer(column)) }

        package func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

        /// Calls `body` with the column's bytes in place.
        package func withBytes<Value>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
            unsafe body(buffer(column))
        }

        /// Memory of libpq, valid as long as the rows.
        private func buffer(_ column: Int32) -> UnsafeRawBufferPointer {
            let start = unsafe rows.libpq.value(rows.result, index, column)
            let count = unsafe rows.libpq.length(rows.result, index, column)
            return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
        }
    }
}

extension PostgresRows: Sequence {
    package func makeIterator() -> some IteratorProtocol<Row> { (0..<count).lazy.map { self[$0] }.makeIterator() }
}
