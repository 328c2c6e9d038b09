import Foundation
import HeliographTestSupport
import Testing

@testable import HeliographPlatform

@Suite("Of two commands that edit files of one folder") struct EditLockTests {
    private let folder: String

    init() throws { folder = try TemporaryFolders.make().path }

    @Test("the second waits for its time and is told that another is at it, and gets in once the first has ended")
    func waits() throws {
        let first = try EditLock(folder: folder)
        do throws(FolderError) {
            _ = try EditLock(folder: folder, within: .milliseconds(30))
            Issue.record("two have it")
        } catch { #expect(error.message.hasPrefix("Another command has been changing files in \(folder)")) }
        _ = consume first
        _ = try EditLock(folder: folder, within: .zero)
    }

    @Test("those in another folder do not wait")
    func others() throws {
        let first = try EditLock(folder: folder)
        _ = try EditLock(folder: try TemporaryFolders.make().path, within: .zero)
        _ = consume first
    }

    @Test("a folder that is not there is named")
    func absent() {
        do throws(FolderError) {
            _ = try EditLock(folder: folder + "/absent")
            Issue.record("it was opened")
        } catch { #expect(error.message.contains("\(folder)/absent")) }
    }
}
