/// Puts a page into one file: stylesheets and modules, minified, replace the links and `script`s that named them.
///
/// A phone on a slow network sends one request instead of forty, and can never hold parts of two versions. A module becomes a function
/// that returns its exports; the functions run in the order in which a browser would run the modules. So each keeps its own names, and an
/// export has one name in the whole page, without imports. Anything that cannot be bundled this way ends the build.
///
/// A program of modules runs at its place in the page, as soon as it arrives, before the rest of the page: what is needed first comes
/// first. The modules that one program has loaded are shared with the next ones, and so they are no modules in the page, where each would
/// run after everything else.
///
/// Lines of the index with `data-part`, behind all others, become a part of their own: a script and a stylesheet that the page requests when somebody
/// opens what is in them. Their name has their digest, and `meta[name=part]` has that name. The languages that `meta[name=languages]` names are files of
/// sentences, whose names get their digest likewise.
package struct PageBundle {
    package enum Source: String, Sendable {
        case script = "js"
        case style = "css"
    }

    /// Returns a whole script or stylesheet in fewer bytes. Names at the top of a script stay, because later scripts use them.
    package typealias Minifier = (_ text: String, Source) throws(PageBundleError) -> String

    private static let index = "index.html"

    private let files: [String: String]
    private let minify: Minifier
    /// Modules in the order in which they run.
    private var modules: [JavaScriptModule] = []
    /// Index in `modules`, by path; nil while the module's imports are read.
    private var places: [String: Int?] = [:]
    /// Path of the module that has each export.
    private var exporters: [String: String] = [:]

    /// - Parameter files: Every file of the page, by its path.
    /// - Returns: The page, its part and its languages, by their paths.
    package static func pages(
        of files: [String: String], minify: @escaping Minifier
    ) throws(PageBundleError) -> [String: String] {
        var bundle = PageBundle(files: files, minify: minify)
        var page = ""
        var styles = ""
        var part = (script: "", style: "")
        guard let text = files[index] else { throw PageBundleError(file: index, sentence: "it is missing") }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let tag = line.drop { $0 == " " }
            if let path = Self.name(in: tag, between: "<link rel=\"stylesheet\" href=\"/", and: "\">") {
                styles += try bundle.file(path)
                continue
            }
            if let path = Self.name(in: tag, between: "<link rel=\"stylesheet\" href=\"/", and: "\" data-part>") {
                part.style += try bundle.file(path)
                continue
            }
            if let path = Self.name(in: tag, between: "<script type=\"module\" src=\"/", and: "\" data-part></script>") {
                part.script += try bundle.program(path)
                continue
            }
            guard part.script.isEmpty || !tag.contains("<script") else {
                throw PageBundleError(file: index, sentence: "a script behind the part, which runs after it: \(tag)")
            }
            if !styles.isEmpty { page += "<style>\(try bundle.style(styles))</style>\n" }
            styles = ""
            if let path = Self.name(in: tag, between: "<script src=\"/", and: "\"></script>") {
                page += "<script>\(try bundle.inline(try bundle.file(path), .script, path))</script>\n"
            } else if let path = Self.name(in: tag, between: "<script type=\"module\" src=\"/", and: "\"></script>") {
                page += "<script>\(try bundle.inline(try bundle.program(path), .script, path))</script>\n"
            } else if tag.contains("<script") || tag.contains("rel=\"stylesheet\"") {
                throw PageBundleError(file: index, sentence: "a line of a form that is not known: \(tag)")
            } else {
                page += tag + "\n"
            }
        }
        var pages: [String: String] = [:]
        if let names = Self.content("languages", in: page) {
            var files: [String] = []
            for name in names.split(separator: " ").map(String.init) {
                let sentences = try bundle.file("languages/\(name).json")
                files.append("\(name)-\(Self.digest(sentences))")
                pages["languages/\(files.last ?? "").json"] = sentences
            }
            page = Self.filled("languages", files.joined(separator: " "), inPlaceOf: names, in: page)
        }
        if !part.script.isEmpty {
            part = (try minify(part.script, .script), try bundle.style(part.style))
            let name = "part-\(Self.digest(part.script + part.style))"
            pages["\(name).js"] = part.script
            pages["\(name).css"] = part.style
            page = Self.filled("part", name, in: page)
        }
        // A page can compare this digest with that of the page that the relay serves now.
        pages[index] = Self.filled("page", Self.digest(page), in: page)
        return pages
    }

    /// What the page's `meta` of that name says.
    private static func content(_ name: String, in page: String) -> String? {
        guard let start = page.firstRange(of: "<meta name=\"\(name)\" content=\"")?.upperBound,
            let end = page[start...].firstIndex(of: "\"")
        else { return nil }
        return String(page[start..<end])
    }

    private static func filled(_ name: String, _ content: String, inPlaceOf old: String = "", in page: String) -> String {
        page.replacing(
            "<meta name=\"\(name)\" content=\"\(old)\">", with: "<meta name=\"\(name)\" content=\"\(content)\">",
            maxReplacements: 1)
    }

    /// A program that a browser runs separately from the page, with the modules that it imports.
    package static func script(
        _ path: String, of files: [String: String], minify: @escaping Minifier
    ) throws(PageBundleError) -> String {
        var bundle = PageBundle(files: files, minify: minify)
        return try minify(try bundle.program(path), .script)
    }

    /// FNV-1a with 64 bits: protects against accidents, not attacks.
    private static func digest(_ text: String) -> String {
        String(
            text.utf8.reduce(0xCBF2_9CE4_8422_2325) { (hash: UInt64, byte) in (hash ^ UInt64(byte)) &* 0x100_0000_01B3 },
            radix: 16)
    }

    private init(files: [String: String], minify: @escaping Minifier) {
        self.files = files
        self.minify = minify
    }

    private func file(_ path: String) throws(PageBundleError) -> String {
        guard let text = files[path] else { throw PageBundleError(file: path, sentence: "it is missing") }
        return text
    }

    private static func name(in tag: Substring, between before: String, and after: String) -> String? {
        guard tag.hasPrefix(before), tag.hasSuffix(after) else { return nil }
        return String(tag.dropFirst(before.count).dropLast(after.count))
    }

    /// Minifies, and throws if the result would end its element or begin a comment.
    private func inline(_ text: String, _ source: Source, _ path: String) throws(PageBundleError) -> String {
        let text = try minify(text, source)
        for end in ["</script", "</style", "<!--"] where text.lowercased().contains(end) {
            throw PageBundleError(file: path, sentence: "it, or what it imports, contains \(end)")
        }
        return text
    }

    private func style(_ text: String) throws(PageBundleError) -> String {
        guard !text.contains("@import") else { throw PageBundleError(file: Self.index, sentence: "@import cannot be bundled") }
        return try inline(text, .style, Self.index)
    }

    // MARK: - Modules

    /// The code of a module and its imports, without those that earlier programs have loaded.
    private mutating func program(_ path: String) throws(PageBundleError) -> String {
        let known = modules.count
        _ = try load(path)
        return "\"use strict\";\n" + modules.dropFirst(known).map { Self.function(of: $0) + "\n" }.joined()
    }

    /// The module's index in `modules`, after all modules that it imports.
    private mutating func load(_ path: String) throws(PageBundleError) -> Int {
        if let known = places[path] {
            guard let known else { throw PageBundleError(file: path, sentence: "it imports itself, by way of others") }
            return known
        }
        places[path] = .some(nil)
        let module = try JavaScriptModule(path: path, source: try file(path))
        for taken in module.imports {
            let other = modules[try load(taken.path)]
            for name in taken.names where !other.exports.contains(name) {
                throw PageBundleError(file: path, sentence: "\(other.path) exports no \(name)")
            }
        }
        for name in module.exports {
            if let other = exporters.updateValue(path, forKey: name) {
                throw PageBundleError(file: path, sentence: "it exports \(name), and so does \(other)")
            }
        }
        modules.append(module)
        places[path] = modules.count - 1
        return modules.count - 1
    }

    private static func function(of module: JavaScriptModule) -> String {
        guard !module.exports.isEmpty else { return "(() => {\n\(module.code)\n})();" }
        let given = "{ \(module.exports.joined(separator: ", ")) }"
        return "const \(given) = (() => {\n\(module.code)\nreturn \(given);\n})();"
    }
}
