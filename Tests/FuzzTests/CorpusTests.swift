import Foundation
import FuzzTargets
import Testing

/// Replays what fuzzing found worth keeping. `make nightly` grows the corpus; see `Tests/Tools/fuzz.py`.
@Suite("The kept corpus of the fuzz targets")
struct CorpusTests {
    @Test("no input of the corpus breaks a promise", arguments: FuzzTarget.allCases)
    func replay(_ target: FuzzTarget) throws {
        let inputs = try corpus(of: target)
        #expect(!inputs.isEmpty, "an empty corpus shows nothing")
        for (index, input) in inputs.enumerated() {
            // A finding ends the process: the last line of the output names the input.
            print("\(target).base64:\(index + 1)")
            target.run([UInt8](input))
        }
    }

    private func corpus(of target: FuzzTarget) throws -> [Data] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzz/Corpus/\(target).base64")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            try #require(Data(base64Encoded: String(line)), "\(file.lastPathComponent) has a line that is no base64")
        }
    }
}
