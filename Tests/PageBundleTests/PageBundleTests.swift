import Testing

@testable import PageBundle

@Suite struct PageBundleTests {
    private func page(_ files: [String: String]) throws -> String {
        try bundled(["index.html": "<script type=\"module\" src=\"/app.js\"></script>"].merging(files) { $1 })
    }

    private func bundled(_ files: [String: String]) throws -> String {
        try PageBundle.pages(of: files, minify: Self.unchanged)["index.html"] ?? ""
    }

    private static func unchanged(_ text: String, _: PageBundle.Source) -> String { text }

    @Test func `modules stand in the page in the order in which they run, each with its own names`() throws {
        let page = try page([
            "app.js":
                "import { make } from \"./dom.js\";\nimport { b } from \"./elements/b.js\";\nconst h = 1;\nmake(b, h);\n",
            "dom.js": "/** Makes. */\nexport function make() {}\nconst b = 2; // its own\n",
            "elements/b.js": "import { make } from \"../dom.js\";\nexport const b = make();\n",
        ])
        #expect(
            page == """
                <script>"use strict";
                const { make } = (() => {
                /** Makes. */
                function make() {}
                const b = 2; // its own

                return { make };
                })();
                const { b } = (() => {

                const b = make();

                return { b };
                })();
                (() => {


                const h = 1;
                make(b, h);

                })();
                </script>

                """)
    }

    @Test func `a program stands before what comes behind it, which has what is loaded already`() throws {
        let page = try page([
            "index.html":
                "<main></main>\n<script type=\"module\" src=\"/app.js\"></script>\n<link rel=\"stylesheet\" href=\"/later.css\">\n"
                + "<script type=\"module\" src=\"/later.js\"></script>",
            "app.js": "import { h } from \"./dom.js\";\nexport const a = h;\n", "dom.js": "export const h = 1;\n",
            "later.css": "b { top: 0; }\n",
            "later.js": "import { h } from \"./dom.js\";\nimport { a } from \"./app.js\";\na(h);\n",
        ])
        #expect(
            page == """
                <main></main>
                <script>"use strict";
                const { h } = (() => {
                const h = 1;

                return { h };
                })();
                const { a } = (() => {

                const a = h;

                return { a };
                })();
                </script>
                <style>b { top: 0; }
                </style>
                <script>"use strict";
                (() => {


                a(h);

                })();
                </script>

                """)
    }

    @Test func `what the index calls a part is two files of its own, whose name the page has`() throws {
        func pages(_ part: String) throws -> [String: String] {
            let files = [
                "index.html":
                    "<meta name=\"part\" content=\"\">\n<script type=\"module\" src=\"/app.js\"></script>\n"
                    + "<link rel=\"stylesheet\" href=\"/part.css\" data-part>\n<script type=\"module\" src=\"/part.js\" data-part></script>",
                "app.js": "export const a = 1;\n", "part.css": "b { top: 0; }\n",
                "part.js": "import { a } from \"./app.js\";\n\(part)\n",
            ]
            return try PageBundle.pages(of: files) { text, source in "\(source) \(text)" }
        }
        let made = try pages("a(1);")
        let name = try #require(made.keys.first { $0.hasSuffix(".js") }).dropLast(3)
        #expect(name.hasPrefix("part-"))
        #expect(made["\(name).js"] == "script \"use strict\";\n(() => {\n\na(1);\n\n})();\n")
        #expect(made["\(name).css"] == "style b { top: 0; }\n")
        #expect(
            made["index.html"]?.hasPrefix("<meta name=\"part\" content=\"\(name)\">\n<script>script \"use strict\";\n") == true)
        #expect(try pages("a(2);")["\(name).js"] == nil)
    }

    @Test func `each language is a file whose name has its digest, and the page names them all`() throws {
        func pages(_ german: String) throws -> [String: String] {
            let files = [
                "index.html": "<meta name=\"languages\" content=\"de fr\">\n", "languages/de.json": german,
                "languages/fr.json": "{}\n",
            ]
            return try PageBundle.pages(of: files, minify: Self.unchanged)
        }
        let made = try pages("{ \"a\": \"b\" }\n")
        let files = made.keys.filter { $0.hasPrefix("languages/") }.sorted()
        #expect(files.count == 2 && made[files[0]] == "{ \"a\": \"b\" }\n" && made[files[1]] == "{}\n")
        let names = files.map { $0.dropFirst("languages/".count).dropLast(".json".count) }
        #expect(names[0].hasPrefix("de-") && names[1].hasPrefix("fr-"))
        let page = try #require(made["index.html"])
        #expect(page.hasPrefix("<meta name=\"languages\" content=\"\(names.joined(separator: " "))\">\n"))
        #expect(try pages("{}\n")[files[0]] == nil)
        #expect(throws: PageBundleError.self) {
            try bundled(["index.html": "<meta name=\"languages\" content=\"de\">\n"])
        }
    }

    @Test func `a worker is a script of its own, with all that it imports`() throws {
        let script = try PageBundle.script(
            "worker.js",
            of: ["worker.js": "import { h } from \"./dom.js\";\nself.h = h;\n", "dom.js": "export const h = 1;\n"],
            minify: Self.unchanged)
        #expect(
            script
                == "\"use strict\";\nconst { h } = (() => {\nconst h = 1;\n\nreturn { h };\n})();\n(() => {\n\nself.h = h;\n\n})();\n"
        )
    }

    @Test func `stylesheets stand in one place, in their order, minified together`() throws {
        let files = [
            "index.html":
                "<head>\n  <link rel=\"stylesheet\" href=\"/a.css\">\n  <link rel=\"stylesheet\" href=\"/b.css\">\n</head>",
            "a.css": "a { left: 0; }\n", "b.css": "b { grid-area: 1 / 2; }\n",
        ]
        let page = try PageBundle.pages(of: files) { text, source in "\(source) \(text)" }["index.html"]
        #expect(page == "<head>\n<style>style a { left: 0; }\nb { grid-area: 1 / 2; }\n</style>\n</head>\n")
        #expect(throws: PageBundleError.self) { try bundled(files.merging(["b.css": "@import \"c.css\";"]) { $1 }) }
    }

    @Test func `a page knows its digest, which is another for another page`() throws {
        func page(_ text: String) throws -> String {
            try bundled(["index.html": "<meta name=\"page\" content=\"\">\n\(text)"])
        }
        #expect(try page("a").hasPrefix("<meta name=\"page\" content=\""))
        #expect(try page("a") == page("a"))
        #expect(try page("a").prefix(40) != page("b").prefix(40))
    }

    @Test(arguments: [
        "const a = 1 / 2; // don't\nf(a);", "x.replace(/[/\"]\\/\\/`/g, '//'); /* don't */ y()",
        "const t = `a // ${b ? `}${\"}\"}` : { c: 1 /* don't */ }.c} /* in it */`;", "return /a'b/.test(c)",
        "'it\\'s // in it'",
        "return \"a\" in b && typeof `c` / d",
    ])
    func `quotes in comments and expressions begin nothing, and signs in strings end nothing`(_ source: String) throws {
        let module = try JavaScriptModule(path: "a.js", source: "\(source)\nexport const last = 1;")
        #expect(module.code == "\(source)\nconst last = 1;" && module.exports == ["last"])
    }

    @Test(arguments: [
        ("import * as all from \"./dom.js\";", "form { a, b } from"),
        ("import { h as make } from \"./dom.js\";", "form { a, b } from"), ("export const h = 2;", "so does dom.js"),
        ("import one from \"./dom.js\";", "form { a, b } from"),
        ("import { h } from \"https://elsewhere.example/dom.js\";", "from elsewhere"),
        ("import { h } from \"../dom.js\";", "from outside"),
        ("import { g } from \"./dom.js\";", "exports no g"), ("import { h } from \"./gone.js\";", "is missing"),
        ("function f() { return import(\"./dom.js\"); }", "import within code"),
        ("const m = () => import(\"./dom.js\");", "form { a, b } from"), ("export default 1;", "export that is not"),
        ("export let count = 0;", "export that is not"), ("export { h } from \"./dom.js\";", "export that is not"),
        ("export const { a } = b;", "export that is not"), ("await f();", "await outside"), ("f(`;", "does not end"),
        ("f(\"a\nb\");", "does not end on its line"), ("f();}", "do not match"), ("f(\"</script>\");", "contains </script"),
        ("import { app } from \"./loop.js\";", "imports itself"),
    ])
    func `what cannot be put into one file ends the build`(_ source: String, _ sentence: String) throws {
        let files = [
            "app.js": "import \"./dom.js\";\n\(source)\nexport const app = 1;\n", "dom.js": "export const h = 1;\n",
            "loop.js": "import { app } from \"./app.js\";\n",
        ]
        let failure = #expect(throws: PageBundleError.self) { try page(files) }
        #expect(failure?.sentence.contains(sentence) == true, "\(failure.map(String.init(describing:)) ?? "nothing")")
    }
}
