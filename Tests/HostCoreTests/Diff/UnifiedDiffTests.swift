@testable import HostCore
import Testing

@Suite("Unified diff")
struct UnifiedDiffTests {
    @Test("A change is shown with three lines around it")
    func change() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"
        #expect(
            diff(old, new) == """
                --- f
                +++ f
                @@ -2,7 +2,7 @@
                 2
                 3
                 4
                -5
                +five
                 6
                 7
                 8

                """)
    }

    @Test("Changes far apart are two hunks, and the second counts what the first added")
    func hunks() {
        let lines = (1...20).map { "\($0)\n" }
        let new = ["0\n"] + lines.dropLast()
        #expect(
            diff(lines.joined(), new.joined()) == """
                --- f
                +++ f
                @@ -1,3 +1,4 @@
                +0
                 1
                 2
                 3
                @@ -17,4 +18,3 @@
                 17
                 18
                 19
                -20

                """)
    }

    @Test("A new file and a removed one come from and go to nothing")
    func files() {
        #expect(diff(nil, "a\n") == "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n")
        #expect(diff("a", nil) == "--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n\\ No newline at end of file\n")
        #expect(diff("a\n", "a\n") == "")
    }

    private func diff(_ old: String?, _ new: String?) -> String {
        UnifiedDiff.text(from: old.map { Array($0.utf8) }, to: new.map { Array($0.utf8) }, path: "f")
    }
}
