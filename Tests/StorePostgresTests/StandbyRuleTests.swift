import Testing

@testable import StorePostgres

@Suite struct StandbyRuleTests {
    @Test(arguments: [
        ("", 0), ("   ", 0), ("db2", 1), ("db2, db3", 1), ("*", 1), ("FIRST 2 (a, b, c)", 2), ("ANY 2 (a, b, c)", 2),
        ("any 1(a)", 1), ("3 (a, b, c)", 3), ("\"ANY 2 (\"", 1), ("anybody", 1), ("first", 1), ("ANY 02 ( * )", 2),
    ])
    func `what each commit waits for is read as the database reads it`(setting: String, needed: Int) {
        #expect(StandbyRule(setting).needed == needed)
    }
}
