import Foundation
import HostCore
import Testing

@testable import HeliographHost

/// Contract of every disk of a spool: the one for tests, and the real one.
@Suite("Spool disk")
struct SpoolDiskTests {
    enum Kind: CaseIterable { case memory, files }

    private let folder = SpoolFolder()

    private func disk(_ kind: Kind) throws -> any SpoolDisk {
        switch kind {
        case .memory: MemoryDisk()
        case .files: try FileSpoolDisk(folder.path)
        }
    }

    @Test("a file holds what was put and appended to it, and is gone when it was removed", arguments: Kind.allCases)
    func life(_ kind: Kind) throws {
        let disk = try disk(kind)
        #expect(try disk.names() == [])
        try disk.replace("a", with: [1, 2])
        try disk.append([3], to: "a")
        try disk.append([4, 5], to: "a")
        try disk.synchronize("a")
        #expect(try disk.contents(of: "a") == [1, 2, 3, 4, 5])
        #expect(try disk.read("a", at: 1, count: 3) == [2, 3, 4])
        #expect(try disk.read("a", at: 4, count: 3) == [5])
        #expect(try disk.names() == ["a"])
        try disk.remove("a")
        #expect(try disk.names() == [])
    }

    @Test("what is cut off is gone, and the next piece follows what is left", arguments: Kind.allCases)
    func truncate(_ kind: Kind) throws {
        let disk = try disk(kind)
        try disk.replace("a", with: [1, 2, 3])
        try disk.append([4, 5, 6], to: "a")
        try disk.truncate("a", to: 4)
        try disk.append([7], to: "a")
        #expect(try disk.contents(of: "a") == [1, 2, 3, 4, 7])
    }

    @Test("one file is replaced and read while another is appended to", arguments: Kind.allCases)
    func two(_ kind: Kind) throws {
        let disk = try disk(kind)
        try disk.replace("a", with: [1])
        try disk.replace("b", with: [2])
        try disk.append([3], to: "b")
        try disk.replace("a", with: [4, 5])
        #expect(try disk.contents(of: "a") == [4, 5] && disk.contents(of: "b") == [2, 3])
        try disk.append([6], to: "a")
        try disk.replace("a", with: [7])
        try disk.append([8], to: "a")
        #expect(try disk.contents(of: "a") == [7, 8])
    }

    @Test("what is not there is damage to who reads it, and a failure to who writes to it", arguments: Kind.allCases)
    func missing(_ kind: Kind) throws {
        let disk = try disk(kind)
        #expect { try disk.contents(of: "a") } throws: { ($0 as? SpoolError)?.code == .damaged }
        #expect { try disk.read("a", at: 0, count: 1) } throws: { ($0 as? SpoolError)?.code == .damaged }
        #expect(throws: SpoolError.self) { try disk.append([1], to: "a") }
        #expect(throws: SpoolError.self) { try disk.synchronize("a") }
        #expect(throws: SpoolError.self) { try disk.remove("a") }
        #expect(try disk.names() == [])
    }

    @Test("a directory that cannot be listed is no empty one")
    func unlistable() throws {
        let disk = try FileSpoolDisk(folder.path)
        try FileManager.default.removeItem(atPath: folder.path)
        #expect(throws: SpoolError.self) { try disk.names() }
    }

    @Test("a directory that others can look into is refused, and left as it is")
    func open() throws {
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        #expect(unsafe chmod(folder.path, 0o755) == 0)
        #expect { _ = try FileSpoolDisk(folder.path) } throws: { "\($0)".contains("chmod 700") }
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(mode == 0o755)
    }

    @Test("a disk without room says so", .enabled(if: geteuid() == 0, "only root makes devices"))
    func full() throws {
        let disk = try FileSpoolDisk(folder.path)
        // The kernel's own full disk, in a folder of ours.
        try #require(unsafe mknod(folder.path + "/full", S_IFCHR | 0o600, 1 << 8 | 7) == 0)
        #expect { try disk.append([1], to: "full") } throws: { ($0 as? SpoolError)?.code == .full }
    }
}
