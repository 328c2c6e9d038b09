internal import HeliographZlib
package import RelayModel
internal import RelayProtocol

/// Detects a row that the disk has changed: the CRC-32 of its columns, in their order.
///
/// It is in its own column. Rows from before version 4 of the schema have none, and are trusted. It is for accidents: anyone who
/// can write the file can also write a matching checksum.
package struct RowChecksum {
    private var value: UInt32 = 0

    /// The column's value: signed, so that it takes four bytes in the file.
    package var column: Int64 { Int64(Int32(bitPattern: value)) }

    package func matches(_ column: Int64?) -> Bool { column == nil || column == self.column }

    /// Adds the number; nil and 0 give different checksums.
    mutating func add(_ number: Int64?) {
        var words = (number == nil ? 0 : 1, number ?? 0)
        unsafe withUnsafeBytes(of: &words) { unsafe add($0) }
    }

    /// Adds the text with its length, so that the end of one text is not taken for the beginning of the next.
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
    /// Works on the columns in place, as it is computed for each event.
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

    /// The names of the session and its host may be invalid.
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

    /// `session`: its number in the file.
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
