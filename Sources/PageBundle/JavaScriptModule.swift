/// One module: its imports, its exports, and its code without either.
///
/// Understands `import { a, b } from "./file.js"`, `import "./file.js"` and `export` before a declaration. Any other form of import or
/// export ends the build: nothing is guessed.
struct JavaScriptModule {
    struct Import: Equatable {
        var path: String
        var names: [String]
    }

    let path: String
    private(set) var imports: [Import] = []
    private(set) var exports: [String] = []
    private(set) var code = ""

    private var rest: ArraySlice<JavaScriptToken>

    init(path: String, source: String) throws(PageBundleError) {
        self.path = path
        rest = try JavaScriptReader.tokens(of: source, file: path)[...]
        var depth = 0
        var isAfterDot = false
        while let token = rest.first {
            if token.is("import") && !isAfterDot {
                guard depth == 0 else { throw fails("import within code") }
                rest.removeFirst()
                try takeImport()
                continue
            }
            if depth == 0, token.is("export") {
                rest.removeFirst()
                try takeExport()
                continue
            }
            if depth == 0, token.is("await") { throw fails("await outside of a function") }
            if token.kind == .sign {
                if ["{", "(", "["].contains(token.text) { depth += 1 }
                if ["}", ")", "]"].contains(token.text) { depth -= 1 }
            }
            isAfterDot = token.is(".")
            rest.removeFirst()
            code += token.text
        }
        guard depth == 0 else { throw fails("brackets that do not match") }
    }

    private mutating func takeImport() throws(PageBundleError) {
        var names: [String] = []
        var token = try nextToken()
        if token.is("{") {
            token = try nextToken()
            while token.kind == .word {
                names.append(token.text)
                token = try nextToken()
                guard token.is(",") else { break }
                token = try nextToken()
            }
            guard token.is("}"), try nextToken().is("from") else {
                throw fails("an import that is not of the form { a, b } from")
            }
            token = try nextToken()
        }
        guard token.kind == .literal, try nextToken().is(";") else {
            throw fails("an import that is not of the form { a, b } from")
        }
        imports.append(Import(path: try resolved(String(token.text.dropFirst().dropLast())), names: names))
    }

    private mutating func takeExport() throws(PageBundleError) {
        let declaration = rest.drop { $0.kind == .gap }
        var words = declaration.filter { $0.kind != .gap }.prefix(3).map(\.text)[...]
        if words.first == "async" { words.removeFirst() }
        guard words.count >= 2, ["const", "function", "class"].contains(words[words.startIndex]),
            let name = words.dropFirst().first, name.utf8.allSatisfy(JavaScriptReader.isWord)
        else { throw fails("an export that is not before const, function or class and a name") }
        exports.append(name)
        rest = declaration
    }

    private mutating func nextToken() throws(PageBundleError) -> JavaScriptToken {
        while let token = rest.popFirst() {
            if token.kind != .gap { return token }
        }
        throw fails("it ends within an import")
    }

    /// Resolves `./other.js` and `../other.js` against this module's path.
    private func resolved(_ reference: String) throws(PageBundleError) -> String {
        var folders = path.split(separator: "/").dropLast().map(String.init)
        let parts = reference.split(separator: "/").map(String.init)
        guard reference.hasPrefix("./") || reference.hasPrefix("../") else {
            throw fails("an import from elsewhere: \(reference)")
        }
        for part in parts where part != "." {
            if part != ".." {
                folders.append(part)
            } else if folders.popLast() == nil {
                throw fails("an import from outside: \(reference)")
            }
        }
        return folders.joined(separator: "/")
    }

    private func fails(_ sentence: String) -> PageBundleError {
        PageBundleError(file: path, sentence: "\(sentence) cannot be bundled")
    }
}
