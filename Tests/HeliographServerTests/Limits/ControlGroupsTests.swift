import Foundation
import Testing

@testable import HeliographServer

@Suite struct ControlGroupsTests {
    /// A tree of files, for as long as `body` runs.
    private func tree(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let root = NSTemporaryDirectory() + "heliograph-groups-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: root) }
        for (path, text) in files {
            let file = URL(fileURLWithPath: "\(root)/\(path)")
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try body(root)
    }

    @Test func `of version 2 the least limit up to the root counts, max is none`() throws {
        try tree([
            "a/memory.max": "1000\n", "a/b/memory.max": "max\n", "a/b/c/memory.max": "2000\n", "a/b/c/memory.high": "max\n",
        ]) { root in
            #expect(ControlGroups.memoryBytes(groups: "0::/a/b/c\n", root: root) == 1_000)
            #expect(ControlGroups.memoryBytes(groups: "0::/d\n", root: root) == nil)
        }
        try tree(["a/memory.high": "500\n", "a/memory.max": "1000\n"]) { root in
            #expect(ControlGroups.memoryBytes(groups: "0::/a\n", root: root) == 500)
        }
    }

    @Test func `of version 1 the tree of the controller counts, also where its mount hides the group's name`() throws {
        let groups = "12:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/1\n1:name=systemd:/y\n0::/z\n"
        try tree([
            "memory/memory.limit_in_bytes": "9223372036854771712\n", "memory/docker/memory.limit_in_bytes": "3000\n",
            "memory/docker/1/memory.limit_in_bytes": "2000\n",
        ]) { #expect(ControlGroups.memoryBytes(groups: groups, root: $0) == 2_000) }
        try tree(["memory/memory.limit_in_bytes": "700\n"]) {
            #expect(ControlGroups.memoryBytes(groups: groups, root: $0) == 700)
        }
    }

    @Test func `what was set is never above what is granted`() {
        #expect(ProcessMemory.budget(megabytes: 1) == 1 << 20)
        #expect(ProcessMemory.budget(megabytes: 1 << 30) >= ProcessMemory.budget(megabytes: 0))
    }
}
