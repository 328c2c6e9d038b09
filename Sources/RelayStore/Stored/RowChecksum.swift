internal import HeliographZlib
package import RelayModel
internal import RelayProtocol

/// Tells a row that is as it was written from one in which the disk changed something: the CRC-32 of what its columns say, in their order.
///
/// It is in a column of its own. Rows of before version 4 of the schema have none there, and are believed. It is for accidents:
/// anyone who can write the file can write it, too.
package struct RowChecksum {
    private var value: UInt32 = 0

    /// The column's value: signed, so that it takes four bytes of the file.
    package var column: Int64 { Int64(Int32(bitPattern: value)) }

    package func matches(_ column: Int64?) -> Bool { column == nil || column == self.column }

    /// Nothing and 0 are not alike.
    mutating func add(_ number: Int64?) {
        var words = (number == nil ? 0 : 1, number ?? 0)
        unsafe withUnsafeBytes(of: &words) { unsafe add($0) }
    }

    /// Adds the text with its length, so that one text's end cannot pass for the next one's beginning.
    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { text in
            add(Int64(text.count))
            unsafe add(UnsafeRawBufferPointer(text))
        }
    }

    mutating func add(_ blob: [UInt8]) {
        add(Int64(blob.count))
        unsafe blob.withUnsafeBytes { unsafe add($0) }
    }

    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        value = unsafe Zlib.crc32(value, bytes)
    }
}

extension RowChecksum {
    /// Computed for each event, so on its columns in place.
    package init(id: Int64, kind: UnsafeRawBufferPointer, at: Int64, bytes: UnsafeRawBufferPointer) {
        var words = (id, at, Int64(kind.count))
        unsafe withUnsafeBytes(of: &words) { unsafe add($0) }
        unsafe add(kind)
        unsafe add(bytes)
    }

    init(event id: Int64, kind: String, at: Int64, bytes: [UInt8]) {
        var kind = kind
        self = kind.withUTF8 { kind in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe RowChecksum(id: id, kind: UnsafeRawBufferPointer(kind), at: at, bytes: bytes)
            }
        }
    }

    package init(session key: SessionKey, host: String, seq: Int64, hostSeq: Int64, state: [UInt8], isRemoved: Bool) {
        self.init(
            session: (key.workspace.rawValue, key.session.rawValue), host: host, seq: seq, hostSeq: hostSeq, state: state,
            isRemoved: isRemoved)
    }

    /// Names that may be misspelled.
    init(
        session key: (workspace: String, session: String), host: String, seq: Int64, hostSeq: Int64, state: [UInt8],
        isRemoved: Bool
    ) {
        add(key.workspace)
        add(key.session)
        add(host)
        add(seq)
        add(hostSeq)
        add(isRemoved ? 1 : 0)
        add(state)
    }

    /// `session` is its number in the file.
    package init(approval: String, session: Int64, seq: Int64, stage: String, resolvedAt: Int64?, record: [UInt8]) {
        add(session)
        add(approval)
        add(seq)
        add(stage)
        add(resolvedAt)
        add(record)
    }

    package init(record name: String, kind: String, workspace: String, bytes: [UInt8]) {
        add(workspace)
        add(kind)
        add(name)
        add(bytes)
    }
}
