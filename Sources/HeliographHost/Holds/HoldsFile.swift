internal import HeliographHook
internal import RelayProtocol

/// `holds.json` in the state directory: the sessions that the relay last said are held. There while there are any, so that a
/// hook sees at a glance whether there are.
struct HoldsFile {
    private static let bytesMax = 1 << 20

    private let path: String

    init(_ stateDirectory: String) { path = HoldsMark.path(in: stateDirectory) }

    /// Nothing is held if there is no file. One that cannot be read may have named any session: all are held until the relay says which.
    func read() -> Holds {
        do {
            guard let bytes = try Files.read(path, bytesMax: Self.bytesMax) else { return Holds() }
            return try Holds(from: JSONDocument(parsing: bytes).root)
        } catch {
            return Holds(everySession: true)
        }
    }

    /// On disk when this returns.
    func write(_ holds: Holds) throws(HostError) {
        if holds.isEmpty { return try Files.remove(path) }
        try Files.replace(path, with: JSONWriter.object { holds.write(to: &$0) } + [UInt8(ascii: "\n")])
    }
}
