internal import HeliographHook
internal import RelayProtocol

/// `holds.json` in the state directory: the sessions that are held by the relay's last report. The file exists only while there are
/// any, so that a hook sees quickly whether there are.
struct HoldsFile {
    private static let bytesMax = 1 << 20

    private let path: String

    init(_ stateDirectory: String) { path = HoldsMark.path(in: stateDirectory) }

    /// The holds; none if there is no file. A file that cannot be read may have named any session, so all are held until the relay
    /// reports.
    func read() -> Holds {
        do {
            guard let bytes = try Files.read(path, bytesMax: Self.bytesMax) else { return Holds() }
            return try Holds(from: JSONDocument(parsing: bytes).root)
        } catch {
            return Holds(everySession: true)
        }
    }

    /// Writes the holds; they are on disk when this returns.
    func write(_ holds: Holds) throws(HostError) {
        if holds.isEmpty { return try Files.remove(path) }
        try Files.replace(path, with: JSONWriter.object { holds.write(to: &$0) } + [UInt8(ascii: "\n")])
    }
}
