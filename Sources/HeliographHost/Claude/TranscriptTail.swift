internal import Glibc
internal import RelayProtocol

/// Lines that an agent appends to its transcripts after one is followed: whole lines, and only those that contain one of the given
/// words.
///
/// The transcript is another program's, of any length, and undocumented: unexpected content is ignored.
struct TranscriptTail {
    /// Bytes read in one look. A turn appends some 100 kB at once at most; the rest is read at the next look.
    private static let bytesMax = 1 << 20
    /// Sessions that are followed at one time; people decide a few.
    private static let countMax = 64

    /// The followed transcripts, the latest last.
    private var places: [(session: SessionID, path: String, offset: Int)] = []

    /// Follows a transcript from its end on, even if it was followed already.
    mutating func follow(_ session: SessionID, _ path: String) {
        places.removeAll { $0.session == session }
        // A file that is still to be written is read from its beginning.
        var size = 0
        if let file = try? Self.open(path) { size = (try? file.size()) ?? 0 }
        if places.count >= Self.countMax { places.removeFirst() }
        places.append((session, path, size))
    }

    mutating func lines(of session: SessionID, with words: [String]) -> [JSONDocument] {
        guard let place = places.firstIndex(where: { $0.session == session }), case let (_, path, offset) = places[place],
            let file = try? Self.open(path), let size = try? file.size(), size > offset,
            let bytes = try? file.read(at: offset, count: min(size - offset, Self.bytesMax))
        else { return [] }
        // A line that fills a whole look is not one that we need.
        let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? (bytes.count == Self.bytesMax ? bytes.count : 0)
        places[place].offset += end
        let needles = words.map { Array($0.utf8) }
        return bytes[..<end].split(separator: UInt8(ascii: "\n")).filter { line in
            needles.contains { line.contains($0) }
        }.compactMap {
            try? JSONDocument(parsing: Array($0))
        }
    }

    /// Opens a transcript; a pipe that nobody writes to must not block.
    private static func open(_ path: String) throws(HostError) -> File { try File(path, O_RDONLY | O_NONBLOCK) }
}
