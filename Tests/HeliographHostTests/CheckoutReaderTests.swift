import Foundation
import HostCore
import Testing

@testable import HeliographHost

@Suite("The Git checkout that a folder is in")
struct CheckoutReaderTests {
    @Test("A worktree has its repository's name and its own branch, as Git itself has made them")
    func worktrees() throws {
        let top = FileManager.default.temporaryDirectory.appendingPathComponent("checkout-\(UUID().uuidString)")
            .resolvingSymlinksInPath()
        defer { try? FileManager.default.removeItem(at: top) }
        let site = top.path + "/site"
        try FileManager.default.createDirectory(atPath: site + "/pages", withIntermediateDirectories: true)
        try git(["init", "--quiet", "--initial-branch=main", site])
        try git(["-C", site, "commit", "--quiet", "--allow-empty", "--message=first"])
        try git(["-C", site, "worktree", "add", "--quiet", "-b", "fix/login", top.path + "/other"])
        try git(["-C", site, "worktree", "add", "--quiet", "--detach", top.path + "/once"])
        try git(["clone", "--quiet", "--bare", site, top.path + "/bare.git"])
        try git(["-C", top.path + "/bare.git", "worktree", "add", "--quiet", "-b", "next", top.path + "/next"])

        let read = { CheckoutReader.read(top.path + $0, home: nil) }
        #expect(read("/site/pages")?.repository == "site" && read("/site")?.branch == "main")
        #expect(read("/other")?.repository == "site" && read("/other")?.branch == "fix/login")
        #expect(read("/once")?.repository == "site" && read("/once")?.branch == nil)
        #expect(read("/next")?.repository == "bare" && read("/next")?.branch == "next")
        #expect(read("") == nil)
        #expect(CheckoutReader.read(site + "/pages", home: site) == nil, "settings that are versioned are no project")
    }

    /// Runs git with these settings only, wherever the tests run.
    private func git(_ arguments: [String]) throws {
        let git = Process()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.arguments =
            ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"] + arguments
        git.environment = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
        ]
        try git.run()
        git.waitUntilExit()
        try #require(git.terminationStatus == 0, "git \(arguments.joined(separator: " "))")
    }
}
