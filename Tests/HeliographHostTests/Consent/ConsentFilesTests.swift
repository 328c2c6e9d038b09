import Consent
import ConsentKeys
import Glibc
import HeliographHook
import HostCore
import RelayAccess
import RelayProtocol
import Testing

@testable import HeliographHost

@Suite("A host's keys and devices on disk")
struct ConsentFilesTests {
    private let folder: HookFolder
    private let paths: HostPaths
    private let device = PrivateKeys().identity

    init() throws {
        let folder = try HookFolder()
        self.folder = folder
        paths = HostPaths { $0 == "XDG_CONFIG_HOME" ? folder.path : $0 == "HOME" ? "/nowhere" : nil }
    }

    private var config: String { paths.configDirectory }

    private func trusted(_ book: PinBook) throws -> PinBook {
        var book = book
        _ = try book.trust(
            Pin(sign: device.sign, box: device.box, name: "phone", since: 1, by: .terminal, may: [.allow], .openSSL))
        return book
    }

    @Test("keys are made once, are the owner's alone, and devices are the same after each start")
    func starts() throws {
        let files = ConsentFiles(paths)
        let (identity, book) = try files.open()
        #expect(folder.mode("heliograph/identity.json").map { $0 & 0o777 } == 0o600)
        #expect(folder.mode("heliograph/devices.json").map { $0 & 0o777 } == 0o600)
        try files.save(trusted(book))
        for _ in 0..<3 {
            let (again, kept) = try ConsentFiles(paths).open()
            #expect(again.id == identity.id && kept.devices.map(\.id) == [device.id])
            #expect(kept.devices.allSatisfy { !$0.isSuspended })
        }
    }

    @Test("a crash between any two writes of a start suspends nobody")
    func crashes() throws {
        let files = ConsentFiles(paths)
        try files.save(trusted(try files.open().1))
        let (keys, devices) = (config + "/identity.json", config + "/devices.json")
        func contents() throws -> ([UInt8], [UInt8]) {
            (try #require(try Files.read(keys, bytesMax: 1 << 20)), try #require(try Files.read(devices, bytesMax: 1 << 20)))
        }
        let before = try contents()
        _ = try files.open()
        let after = try contents()
        // The pins have the next generation, then the keys have it, then the pins say so.
        var between = try PinBook(parsing: before.1, .openSSL)
        let next = try PrivateKeys(parsing: after.0).generation
        _ = between.begin(keyFile: try PrivateKeys(parsing: before.0).generation, fresh: next)
        for (keyBytes, pinBytes) in [(before.0, between.bytes), (after.0, between.bytes), after] {
            try Files.replace(keys, with: keyBytes)
            try Files.replace(devices, with: pinBytes)
            #expect(try ConsentFiles(paths).open().1.devices.map(\.isSuspended) == [false])
        }
    }

    @Test("devices whose file is older than the keys' are suspended")
    func restored() throws {
        let files = ConsentFiles(paths)
        try files.save(trusted(try files.open().1))
        let old = try #require(try Files.read(config + "/devices.json", bytesMax: 1 << 20))
        for _ in 0..<2 { _ = try files.open() }
        try Files.replace(config + "/devices.json", with: old)
        #expect(try files.open().1.devices.map(\.isSuspended) == [true])
    }

    @Test("keys without their devices are replaced; devices without their keys, and files that cannot be read, are errors")
    func lost() throws {
        let files = ConsentFiles(paths)
        let id = try files.open().0.id
        try Files.remove(config + "/devices.json")
        #expect(try files.open().0.id != id)
        for name in ["identity.json", "devices.json"] {
            let whole = try #require(try Files.read(config + "/" + name, bytesMax: 1 << 20))
            try Files.replace(config + "/" + name, with: Array("{}".utf8))
            #expect { _ = try files.open() } throws: { "\($0)".contains(name) }
            try Files.replace(config + "/" + name, with: whole)
        }
        try Files.remove(config + "/identity.json")
        #expect { _ = try files.open() } throws: { "\($0)".contains("identity.json") }
    }

    @Test("a host that became signed is signed at its next start")
    func setting() throws {
        var configuration = HostConfiguration(relay: RelayAddress("https://relay.example")!, token: "t", paths: paths)
        configuration.name = "laptop"
        try configuration.save(paths)
        #expect(try HostConfiguration.load(paths).consent == .open)
        try ConsentFiles(paths).keepSigned()
        let kept = try HostConfiguration.load(paths)
        #expect(kept.consent == .signed && kept.name == "laptop" && kept.token == "t")
        try Files.replace(config + "/host.json", with: Array(#"{"relay":"https://relay.example","token":"t"}"#.utf8))
        #expect(try HostConfiguration.load(paths).consent == .open, "as hosts of earlier versions are")
        try Files.replace(
            config + "/host.json", with: Array(#"{"relay":"https://relay.example","token":"t","consent":"no"}"#.utf8))
        #expect(throws: HostError.self) { try HostConfiguration.load(paths) }
    }

    @Test("a first secret is for any host of this machine, the owner's alone, stays beside later ones, and is over in time")
    func firstTrust() throws {
        let first = FirstTrust(paths)
        let now = HostInstant.now
        #expect(first.current(at: now).isEmpty && !first.isShown)
        let text = try first.show()
        #expect(folder.mode("heliograph/first-trust").map { $0 & 0o777 } == 0o600)
        let (secret, until) = try #require(first.current(at: .now).first)
        #expect(secret.text == text && secret.scope == .machine && until > now.monotonic && first.isShown)
        var late = HostInstant.now
        late.wall += 25 * 3_600_000
        #expect(first.current(at: late).isEmpty)
        let later = try (0..<6).map { _ in try first.show() }
        #expect(first.current(at: .now).map(\.secret.text) == later, "the oldest goes if there are too many")
        let damaged = #"{"secrets":[{"secret":"AQ","until":9007199254740991},7]}"#
        for bytes in [damaged, "{}", "no"] {
            try Files.replace(config + "/first-trust", with: Array(bytes.utf8))
            #expect(first.current(at: .now).isEmpty)
        }
    }

    @Test("a link with a secret lasts a day before there is a host, and ten minutes beside a signed one")
    func firstTrustLasts() throws {
        let first = FirstTrust(paths)
        #expect(first.isUseful)
        _ = try first.show()
        var configuration = HostConfiguration(relay: RelayAddress("https://relay.example")!, token: "t", paths: paths)
        configuration.consent = .signed
        try configuration.save(paths)
        #expect(first.isUseful)
        _ = try first.show()
        var late = HostInstant.now
        late.wall += 601_000
        #expect(first.current(at: late).count == 1)
        configuration.consent = .open
        try configuration.save(paths)
        #expect(!first.isUseful, "an open host answers none")
    }
}
