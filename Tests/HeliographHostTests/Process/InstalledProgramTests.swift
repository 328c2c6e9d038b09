import Foundation
import Testing

@testable import HeliographHost

@Suite("Installed program") struct InstalledProgramTests {
    @Test("the first folder of the PATH that has it as an executable file")
    func path() throws {
        let folder = try HookFolder()
        for name in ["a", "b", "c"] {
            try FileManager.default.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        // A folder and a file that is not executable are no programs.
        try FileManager.default.createDirectory(atPath: "\(folder.path)/a/tool", withIntermediateDirectories: true)
        for (name, mode) in [("b", 0o644), ("c", 0o755)] {
            let made = FileManager.default.createFile(
                atPath: "\(folder.path)/\(name)/tool", contents: nil, attributes: [.posixPermissions: mode])
            #expect(made)
        }
        func path(_ variable: String?) -> String? { InstalledProgram.path(of: "tool") { $0 == "PATH" ? variable : nil } }
        #expect(path("\(folder.path)/a:\(folder.path)/b:\(folder.path)/c") == "\(folder.path)/c/tool")
        #expect(path("\(folder.path)/a:\(folder.path)/b") == nil && path(nil) == nil && path("") == nil)
    }
}
