import Foundation
import HeliographPlatform
import Testing

@Suite("The date of an HTTP answer")
struct HTTPDateTests {
    @Test("is written in the preferred form and read back to the second")
    func both() throws {
        #expect(HTTPDate.seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
        let now = try #require(HTTPDate.seconds(HTTPDate.now))
        #expect(abs(now - Int64(Date().timeIntervalSince1970)) <= 1)
    }

    @Test("in another form is none", arguments: ["", "784111777", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37 CET"])
    func none(_ text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }
}
