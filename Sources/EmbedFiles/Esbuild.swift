import Foundation
import PageBundle

/// The program `esbuild` of the path, from Debian's or Homebrew's package.
enum Esbuild {
    static func minify(_ text: String, _ source: PageBundle.Source) throws(PageBundleError) -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "EmbedFiles-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (
            folder.appending(path: "in.\(source.rawValue)"), folder.appending(path: "out.\(source.rawValue)")
        )
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "esbuild", input.path, "--outfile=\(output.path)", "--minify", "--charset=utf8", "--legal-comments=none",
            "--log-level=warning", "--color=false",
        ]
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: input)
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw PageBundleError(
                    file: "index.html",
                    sentence: "esbuild ended with status \(process.terminationStatus): is it installed? (make packages)")
            }
            return String(decoding: try Data(contentsOf: output), as: UTF8.self)
        } catch let error as PageBundleError {
            throw error
        } catch {
            throw PageBundleError(file: "index.html", sentence: "esbuild: \(error)")
        }
    }
}
