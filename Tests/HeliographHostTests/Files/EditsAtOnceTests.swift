import AgentClaude
import Dispatch
import HeliographHook
import RelayAccess
import RelayProtocol
import Synchronization
import Testing

@testable import HeliographHost

@Suite("Commands that change one file at once")
struct EditsAtOnceTests {
    private static let count = 24

    private let folder: HookFolder
    private let paths: HostPaths

    init() throws {
        let folder = try HookFolder()
        self.folder = folder
        paths = HostPaths { name in
            switch name {
            case "HOME": folder.path + "/home"
            case "XDG_CONFIG_HOME": folder.path + "/config"
            case "HELIOGRAPH_SOCKET": folder.socketPath
            default: nil
            }
        }
    }

    private static func faults(_ edit: @Sendable (Int) throws -> Void) -> [String] {
        let faults = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: count) { number in
            do { try edit(number) } catch { faults.withLock { $0.append("\(number): \(error)") } }
        }
        return faults.withLock(\.self)
    }

    @Test("Every project that is added or removed counts")
    func projects() throws {
        let paths = paths
        for number in 0..<Self.count { try Files.makePrivateDirectory(folder.path + "/p\(number)") }
        let root = try #require(ProjectsFile.folder(folder.path))
        #expect(Self.faults { _ = try ProjectsCall.add("\(root)/p\($0)", name: nil, isHome: false, paths: paths) } == [])
        #expect(try Set(ProjectsFile(paths).read().map(\.name)) == Set((0..<Self.count).map { "p\($0)" }))
        #expect(Self.faults { if $0 > 0 { _ = try ProjectsCall.remove("p\($0)", paths: paths) } } == [])
        #expect(try ProjectsFile(paths).read().map(\.name) == ["p0"])
        #expect(folder.names("config/heliograph") == ["projects.json"])
    }

    @Test("Every price that is set or removed counts")
    func prices() throws {
        let paths = paths
        let dollars = PriceCall.Dollars(input: 1, output: 2, cacheRead: nil, cacheWrite: nil)
        #expect(Self.faults { _ = try PriceCall.set("llama\($0)", dollars, paths: paths) } == [])
        #expect(try Set(PricesFile(paths).read().byModel.keys) == Set((0..<Self.count).map { "llama\($0)" }))
        #expect(Self.faults { if $0 > 0 { _ = try PriceCall.remove("llama\($0)", paths: paths) } } == [])
        #expect(try PricesFile(paths).read().byModel.keys.map(\.self) == ["llama0"])
    }

    @Test("The file of a pairing is that of one of them, whole")
    func pairing() throws {
        let paths = paths
        let relay = try #require(RelayAddress("https://relay.example"))
        let faults = Self.faults { number in
            try HostConfiguration(relay: relay, token: String(repeating: "t", count: 20 + 200 * (number % 2)), paths: paths)
                .save(paths)
        }
        #expect(faults == [])
        #expect([20, 220].contains(try HostConfiguration.load(paths).token.count))
    }

    @Test("Of those that change settings which all have read, one writes and the others are told")
    func settings() throws {
        let file = SettingsFile(path: folder.path + "/settings.json")
        for round in 0..<Self.count {
            let before = try file.read()
            let faults = Self.faults { try file.write(Array("{\"round\":\(round),\"n\":\($0)}".utf8), replacing: before) }
            #expect(faults.count == Self.count - 1)
        }
        #expect(folder.names() == ["settings.json"])
    }
}
