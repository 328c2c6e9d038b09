import Foundation
import PageBundle

/// `EmbedFiles FOLDER OUTPUT` writes a Swift file that holds every regular file below FOLDER. A page, which has an `index.html`, is
/// replaced by its bundles (`PageBundle`) and loses its scripts and styles.
///
/// Text becomes a `StaticString`, which costs no start-up time and no copy, and a PNG picture the same in base64; anything else
/// that is not UTF-8 is refused.
@main
struct EmbedFiles {
    static func main() throws {
        let folder = URL(fileURLWithPath: CommandLine.arguments[1]).standardizedFileURL
        let output = URL(fileURLWithPath: CommandLine.arguments[2])
        var texts: [String: String] = [:]
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        while let url = found?.nextObject() as? URL {
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true else { continue }
            let path = String(url.standardizedFileURL.path.dropFirst(folder.path.count + 1))
            if path.hasPrefix(".") || path.hasSuffix("~") || path.hasSuffix("tsconfig.json") || path.hasSuffix(".d.ts") {
                continue
            }
            let data = try Data(contentsOf: url)
            if path.hasSuffix(".png") {
                texts[path] = data.base64EncodedString()
                continue
            }
            guard let text = String(data: data, encoding: .utf8) else {
                throw CocoaError(.fileReadInapplicableStringEncoding, userInfo: [NSFilePathErrorKey: url.path])
            }
            texts[path] = text
        }
        if texts["index.html"] != nil {
            let worker =
                texts["worker.js"] == nil ? nil : try PageBundle.script("worker.js", of: texts, minify: Esbuild.minify)
            let pages = try PageBundle.pages(of: texts, minify: Esbuild.minify)
            texts = texts.filter { path, _ in ![".js", ".css", ".json"].contains { path.hasSuffix($0) } }
            texts.merge(pages) { $1 }
            texts["worker.js"] = worker
        }

        var source = """
            // Written by EmbedFiles. Do not edit.

            /// Files that the binary carries, by their path below the folder they came from.
            enum EmbeddedFiles {
                static let all: [(path: String, content: StaticString)] = [

            """
        for (path, text) in texts.sorted(by: { $0.key < $1.key }) {
            source += "        (\(literal(path)), \(literal(text))),\n"
        }
        source += "    ]\n}\n"
        let content = Data(source.utf8)
        // The file is not rewritten if unchanged, as that would recompile everything that depends on it.
        if (try? Data(contentsOf: output)) != content { try content.write(to: output, options: .atomic) }
    }

    private static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
