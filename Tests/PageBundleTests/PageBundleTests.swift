import Testing

@testable import PageBundle

@Suite struct PageBundleTests {
    private func page(_ files: [String: String]) throws -> String {
        try PageBundle.page(["index.html": "<script type=\"module\" src=\"/app.js\"></script>"].merging(files) { $1 })
    }

    @Test func `modules stand in the page in the order in which they run, each with its own names`() throws {
        let page = try page([
            "app.js":
                "import { make } from \"./dom.js\";\nimport { b } from \"./elements/b.js\";\nconst h = 1;\nmake(b, h);\n",
            "dom.js": "/** Makes. */\nexport function make() {}\nconst b = 2; // its own\n",
            "elements/b.js": "import { make } from \"../dom.js\";\nexport const b = make();\n",
        ])
        #expect(
            page == """
                <script>"use strict";const{make}=(()=>{function make(){}
                const b=2;
                return{make}})();
                const{b}=(()=>{const b=make();
                return{b}})();
                (()=>{const h=1;make(b,h);})();</script>

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
                <script>"use strict";const{h}=(()=>{const h=1;
                return{h}})();
                const{a}=(()=>{const a=h;
                return{a}})();</script>
                <style>b{top:0}
                </style>
                <script>"use strict";(()=>{a(h);})();</script>

                """)
    }

    @Test func `what the index calls a part is two files of its own, whose name the page has`() throws {
        func pages(_ part: String) throws -> [String: String] {
            try PageBundle.pages(of: [
                "index.html":
                    "<meta name=\"part\" content=\"\">\n<script type=\"module\" src=\"/app.js\"></script>\n"
                    + "<link rel=\"stylesheet\" href=\"/part.css\" data-part>\n<script type=\"module\" src=\"/part.js\" data-part></script>",
                "app.js": "export const a = 1;\n", "part.css": "b { top: 0; }\n",
                "part.js": "import { a } from \"./app.js\";\n\(part)\n",
            ])
        }
        let made = try pages("a(1);")
        let name = try #require(made.keys.first { $0.hasSuffix(".js") }).dropLast(3)
        #expect(name.hasPrefix("part-"))
        #expect(made["\(name).js"] == "\"use strict\";(()=>{a(1);})();\n")
        #expect(made["\(name).css"] == "b{top:0}\n")
        #expect(
            made["index.html"] == """
                <meta name="part" content="\(name)">
                <script>"use strict";const{a}=(()=>{const a=1;
                return{a}})();</script>

                """)
        #expect(try pages("a(2);")["\(name).js"] == nil)
    }

    @Test func `each language is a file whose name has its digest, and the page names them all`() throws {
        func pages(_ german: String) throws -> [String: String] {
            try PageBundle.pages(of: [
                "index.html": "<meta name=\"languages\" content=\"de fr\">\n", "languages/de.json": german,
                "languages/fr.json": "{}\n",
            ])
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
            try PageBundle.pages(of: ["index.html": "<meta name=\"languages\" content=\"de\">\n"])
        }
    }

    @Test func `a worker is a script of its own, with all that it imports`() throws {
        let script = try PageBundle.script(
            "worker.js",
            of: ["worker.js": "import { h } from \"./dom.js\";\nself.h = h;\n", "dom.js": "export const h = 1;\n"])
        #expect(script == "\"use strict\";const{h}=(()=>{const h=1;\nreturn{h}})();\n(()=>{self.h=h;})();\n")
    }

    @Test func `stylesheets stand in one place, in their order, without comments`() throws {
        let page = try PageBundle.page([
            "index.html":
                "<head>\n  <link rel=\"stylesheet\" href=\"/a.css\">\n  <link rel=\"stylesheet\" href=\"/b.css\">\n</head>",
            "a.css": "/* A */\na {\n  content: \"/* kept */\"; /* gone */\n}\n", "b.css": "b { grid-area: 1 / 2; }\n",
        ])
        #expect(page == "<head>\n<style>a{content:\"/* kept */\"}\nb{grid-area:1 / 2}\n</style>\n</head>\n")
    }

    @Test func `a blank in a stylesheet that parts selectors, or stands in a string, stays`() throws {
        let page = try PageBundle.page([
            "index.html": "<link rel=\"stylesheet\" href=\"/a.css\">\n<p>",
            "a.css":
                "a :is(b, c) + d > f::after { content: \" > ;}{ , \"; }\n@media (min-width: 4em) { e { top: calc(1em + 2px); } }\n",
        ])
        #expect(
            page
                == "<style>a :is(b,c) + d>f::after{content:\" > ;}{ , \"}@media (min-width:4em){e{top:calc(1em + 2px)} }\n</style>\n<p>\n"
        )
    }

    @Test(arguments: [
        ("const a = (b) => [ 1, 2 ];", "const a=(b)=>[1,2];"), ("return a in b ? c : typeof d", "return a in b?c:typeof d"),
        ("a + +b - --c / /d/.e", "a+ +b- --c / /d/.e"), ("1 .a + 2 * c ? .5 : -1", "1 .a+2*c? .5:-1"),
        ("return \"a\" in b && typeof `c` / d", "return\"a\"in b&&typeof`c` / d"),
        ("if (a < !--b) { c();\n  d()\n}", "if(a< !--b){c();d()}"),
        ("a\n++b\n(c)\nd", "a\n++b\n(c)\nd"), ("`${ a } { b }` , \" { \"", "`${ a } { b }`,\" { \""),
        (
            "class A {\n  static #b = 1;\n  get c() { return #b in this; }\n}",
            "class A{static#a=1;get c(){return#a in this;}}"
        ),
        (
            "class A { #one; #two; b() { return `.${this.#two}#one ${a.#one}`; } }",
            "class A{#a;#b;b(){return`.${this.#b}#one ${a.#a}`;}}"
        ),
    ])
    func `blanks go where nothing else is said without them`(_ source: String, _ left: String) throws {
        #expect(try JavaScriptModule(path: "a.js", source: source).code == left)
    }

    @Test func `a page knows its digest, which is another for another page`() throws {
        func page(_ text: String) throws -> String {
            try PageBundle.page(["index.html": "<meta name=\"page\" content=\"\">\n\(text)"])
        }
        #expect(try page("a").hasPrefix("<meta name=\"page\" content=\""))
        #expect(try page("a") == page("a"))
        #expect(try page("a").prefix(40) != page("b").prefix(40))
    }

    @Test(arguments: [
        ("const a = 1 / 2; // c\nf(a);", "const a = 1 / 2;\nf(a);"),
        ("x.replace(/[/\"]\\/\\/`/g, '//'); /* c */ y()", "x.replace(/[/\"]\\/\\/`/g, '//'); y()"),
        (
            "const t = `a // ${b ? `}${\"}\"}` : { c: 1 /* in */ }.c} /* kept */`;",
            "const t = `a // ${b ? `}${\"}\"}` : { c: 1 /* in */ }.c} /* kept */`;"
        ),
        ("return /a'b/.test(c)", "return /a'b/.test(c)"),
        ("a\n// c\n++b", "a\n++b"), ("a /* one\ntwo */ ++b", "a\n++b"), ("'it\\'s // kept'", "'it\\'s // kept'"),
    ])
    func `comments go, and nothing that only looks like one`(_ source: String, _ left: String) throws {
        #expect(try JavaScriptReader.tokens(of: source, file: "a.js").map(\.text).joined() == left)
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
