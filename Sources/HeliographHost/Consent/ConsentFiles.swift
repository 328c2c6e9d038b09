internal import Consent
internal import ConsentKeys
internal import HeliographHook
internal import HostCore

/// The host's consent on disk, in the configuration directory, readable only by its owner: `identity.json` with the keys by which
/// devices know this host (see `PrivateKeys`), `devices.json` with the devices that it trusts (see `PinBook`), and `sealing.json`
/// with the keys by which these read what it seals (see `EpochBook`).
final class ConsentFiles: ConsentDisk {
    private let paths: HostPaths
    private var keysPath: String { paths.configDirectory + "/identity.json" }
    private var devicesPath: String { paths.configDirectory + "/devices.json" }
    private var epochsPath: String { paths.configDirectory + "/sealing.json" }

    init(_ paths: HostPaths) { self.paths = paths }

    /// The host's keys and pins at its start; both are created the first time. Called by the one daemon of this machine.
    ///
    /// Each start gives both files a new generation, in an order in which they belong together after a crash at any moment. Keys
    /// without their pins are replaced: it is not known which prompts of their devices were accepted.
    func open() throws(HostError) -> (ConsentIdentity, PinBook) {
        try Files.makePrivateDirectory(paths.configDirectory)
        let (known, pins) = (try readKeys(), try readPins())
        guard var keys = known, var book = pins else {
            guard known != nil || pins == nil else {
                throw HostError(
                    .badConfiguration,
                    "\(devicesPath) is there without \(keysPath), the keys that its devices know: restore that, or remove this and trust the devices again"
                )
            }
            let keys = PrivateKeys()
            let book = PinBook(generation: keys.generation)
            try write(keys)
            try write(book)
            return (keys.identity, book)
        }
        let fresh = Generation.random()
        // If the files were restored, devices report their counts again: the relay could repeat what they sent meanwhile.
        _ = book.begin(keyFile: keys.generation, fresh: fresh)
        try write(book)
        keys.generation = fresh
        try write(keys)
        book.began()
        try write(book)
        return (keys.identity, book)
    }

    /// The stored keys; nil if there are none. A file that cannot be read is an error and is never replaced: devices know this host
    /// by it.
    private func readKeys() throws(HostError) -> PrivateKeys? {
        guard let bytes = try Files.read(keysPath, bytesMax: PrivateKeys.fileBytesMax) else { return nil }
        do throws(ConsentError) { return try PrivateKeys(parsing: bytes) } catch {
            throw HostError(.badConfiguration, "\(keysPath) is not as this program writes it: \(error)")
        }
    }

    /// The stored pins; nil if there are none. A file that cannot be read is an error: a host that forgot counts would accept old
    /// prompts again.
    private func readPins() throws(HostError) -> PinBook? {
        guard let bytes = try Files.read(devicesPath, bytesMax: PinBook.fileBytesMax) else { return nil }
        do throws(ConsentError) { return try PinBook(parsing: bytes, .openSSL) } catch {
            throw HostError(.badConfiguration, "\(devicesPath) is not as this program writes it: \(error)")
        }
    }

    /// The epochs' keys; empty before the first. A file that cannot be read is an error: with other keys nobody could open what was
    /// sealed with the lost ones.
    func openEpochs() throws(HostError) -> EpochBook {
        guard let bytes = try Files.read(epochsPath, bytesMax: EpochBook.fileBytesMax) else { return EpochBook() }
        do throws(ConsentError) { return try EpochBook(parsing: bytes) } catch {
            throw HostError(.badConfiguration, "\(epochsPath) is not as this program writes it: \(error)")
        }
    }

    /// The host's current keys; nil before its first start.
    func identity() throws(HostError) -> ConsentIdentity? { try readKeys()?.identity }

    /// True if some device may decide here.
    var hasDevices: Bool { (try? readPins())?.devices.isEmpty == false }

    /// True once the host has sealed something.
    var hasEpochs: Bool { Files.isThere(epochsPath) }

    private func write(_ keys: PrivateKeys) throws(HostError) {
        try Files.replace(keysPath, with: keys.bytes + [UInt8(ascii: "\n")])
    }

    private func write(_ book: PinBook) throws(HostError) {
        try Files.replace(devicesPath, with: book.bytes + [UInt8(ascii: "\n")])
    }

    // MARK: ConsentDisk

    func save(_ book: PinBook) throws(SpoolError) {
        do throws(HostError) { try write(book) } catch { throw SpoolError(.failed, error.message) }
    }

    func save(_ epochs: EpochBook) throws(SpoolError) {
        do throws(HostError) {
            try Files.replace(epochsPath, with: epochs.bytes + [UInt8(ascii: "\n")])
        } catch { throw SpoolError(.failed, error.message) }
    }

    func keepSigned() throws(SpoolError) {
        do throws(HostError) {
            var configuration = try HostConfiguration.load(paths)
            try configuration.keep(consent: ConsentSetting.signed.rawValue, content: nil, paths)
        } catch { throw SpoolError(.failed, error.message) }
    }
}
