import Foundation
import Glibc
import HeliographTestSupport
import Testing

@testable import HeliographPlatform

@Suite("Private directories") struct PrivateDirectoryTests {
    private func mode(_ path: String) -> mode_t {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? facts.st_mode & 0o777 : 0
    }

    @Test("what is missing is made for its owner alone")
    func made() throws {
        let path = try TemporaryFolders.make().path + "/a/b"
        try PrivateDirectory.make(path, isOwn: true)
        #expect(mode(path) == 0o700)
        try PrivateDirectory.make(path + "/", isOwn: true)
    }

    @Test("one that others can look into is refused with the mend, and stays as it is")
    func open() throws {
        let path = try TemporaryFolders.make().path
        #expect(unsafe chmod(path, 0o755) == 0)
        do throws(FolderError) {
            try PrivateDirectory.make(path, isOwn: true)
            Issue.record("an open directory was taken")
        } catch { #expect(error.message.hasSuffix("chmod 700 \(path)")) }
        #expect(mode(path) == 0o755)
    }

    @Test("a file is no directory")
    func file() throws {
        let path = try TemporaryFolders.make().path + "/file"
        try Data().write(to: URL(filePath: path))
        #expect(throws: FolderError.self) { try PrivateDirectory.make(path, isOwn: true) }
    }
}
