import Foundation
import Testing

@testable import HeliographHook
@testable import HeliographHost

@Suite("Codex's socket")
struct CodexSocketTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "hg-\(UUID().uuidString.prefix(8))").path

    /// A home of Codex with its link, and a folder that the socket stands in.
    private func home(mode: Int = 0o700, with make: (String) throws -> Void) throws -> String {
        let (control, place) = (folder + "/home/app-server-control", folder + "/place")
        try FileManager.default.createDirectory(atPath: control, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try make(place + "/s")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: place)
        try FileManager.default.createSymbolicLink(
            atPath: CodexSocket.link(folder + "/home"), withDestinationPath: place + "/s")
        return folder + "/home"
    }

    private func bind(_ path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe Glibc.bind(descriptor, $0, size) }
        }
        try #require(result == 0)
    }

    @Test("a socket of ours, in a folder that only we can write to, is taken")
    func safe() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let socket = try CodexSocket(home: home(with: bind))
        #expect(socket.path.hasSuffix("/place/s"))
    }

    @Test("where others could have put it, it is not talked to")
    func open() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let home = try home(mode: 0o777, with: bind)
        #expect(throws: CodexSocket.AddressError.self) { try CodexSocket(home: home) }
    }

    @Test("a file is no socket, and a link to nothing is no server")
    func others() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let home = try home { _ = FileManager.default.createFile(atPath: $0, contents: nil) }
        #expect(throws: CodexSocket.AddressError.self) { try CodexSocket(home: home) }
        #expect(throws: CodexSocket.AddressError.absent) { try CodexSocket(home: folder + "/nowhere") }
    }

    @Test("settings come back as they were written, and what is not ours is refused")
    func settings() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let paths = HostPaths { $0 == "XDG_CONFIG_HOME" ? folder : $0 == "HOME" ? folder : nil }
        #expect(try CodexSettings.load(paths) == nil)
        try Files.makePrivateDirectory(paths.configDirectory)
        try Files.replace(CodexSettings.file(paths), with: CodexSettings(home: "/home/dev/.codex").bytes)
        #expect(try CodexSettings.load(paths)?.home == "/home/dev/.codex")
        try Files.replace(CodexSettings.file(paths), with: Array("{}".utf8))
        #expect(throws: HostError.self) { try CodexSettings.load(paths) }
    }
}
