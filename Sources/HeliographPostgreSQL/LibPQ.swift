internal import Glibc

/// The functions of libpq that are used here. It is loaded when the first connection is made: it loads twenty libraries, and a
/// program that is linked with it starts in 4.5 ms instead of 1.8 ms, which matters for our hook; see decision record 0062. The
/// numbers are libpq's interface, which its major version fixes.
///
/// Sendable, as nothing in here changes.
@safe struct LibPQ: @unchecked Sendable {
    typealias Connection = OpaquePointer
    typealias Result = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Texts = UnsafePointer<Text?>
    typealias Numbers = UnsafePointer<Int32>
    typealias NoticeReceiver = @convention(c) (UnsafeMutableRawPointer?, Result?) -> Void

    let connect: @convention(c) (Texts, Texts, Int32) -> Connection?
    let status: @convention(c) (Connection) -> Int32
    let socket: @convention(c) (Connection) -> Int32
    let errorMessage: @convention(c) (Connection) -> Text?
    let parameterStatus: @convention(c) (Connection, Text) -> Text?
    let serverVersion: @convention(c) (Connection) -> Int32
    let backendPID: @convention(c) (Connection) -> Int32
    let finish: @convention(c) (Connection) -> Void
    let setNonblocking: @convention(c) (Connection, Int32) -> Int32
    let setNoticeReceiver: @convention(c) (Connection, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver?
    let enterPipelineMode: @convention(c) (Connection) -> Int32
    let pipelineSync: @convention(c) (Connection) -> Int32
    let sendPrepare: @convention(c) (Connection, Text, Text, Int32, UnsafePointer<UInt32>?) -> Int32
    let sendQueryPrepared: @convention(c) (Connection, Text, Int32, Texts?, Numbers?, Numbers?, Int32) -> Int32
    let sendQueryParams:
        @convention(c) (Connection, Text, Int32, UnsafePointer<UInt32>?, Texts?, Numbers?, Numbers?, Int32) -> Int32
    let flush: @convention(c) (Connection) -> Int32
    let consumeInput: @convention(c) (Connection) -> Int32
    let isBusy: @convention(c) (Connection) -> Int32
    let getResult: @convention(c) (Connection) -> Result?
    let resultStatus: @convention(c) (Result) -> Int32
    let resultErrorField: @convention(c) (Result, Int32) -> Text?
    let tupleCount: @convention(c) (Result) -> Int32
    let isNull: @convention(c) (Result, Int32, Int32) -> Int32
    let value: @convention(c) (Result, Int32, Int32) -> Text?
    let length: @convention(c) (Result, Int32, Int32) -> Int32
    let clear: @convention(c) (Result) -> Void

    private static let found: Swift.Result<LibPQ, PostgresError> = .init(catching: LibPQ.init)

    /// Looked up once: a library that is installed later is found after a restart.
    static var shared: LibPQ { get throws(PostgresError) { try found.get() } }

    private init() throws(PostgresError) {
        guard let library = unsafe dlopen("libpq.so.5", RTLD_NOW) else {
            throw PostgresError(
                .missingLibrary, "PostgreSQL's client library is not installed: libpq.so.5, on Debian the package libpq5.")
        }
        func find<Function>(_ name: String) throws(PostgresError) -> Function {
            guard let symbol = unsafe dlsym(library, name) else {
                throw PostgresError(
                    .missingLibrary,
                    "PostgreSQL's client library is too old: libpq.so.5 has no \(name), which came with version 14.")
            }
            // A symbol with that name has this type: see libpq-fe.h.
            return unsafe unsafeBitCast(symbol, to: Function.self)
        }
        unsafe connect = try find("PQconnectdbParams")
        unsafe status = try find("PQstatus")
        unsafe socket = try find("PQsocket")
        unsafe errorMessage = try find("PQerrorMessage")
        unsafe parameterStatus = try find("PQparameterStatus")
        unsafe serverVersion = try find("PQserverVersion")
        unsafe backendPID = try find("PQbackendPID")
        unsafe finish = try find("PQfinish")
        unsafe setNonblocking = try find("PQsetnonblocking")
        unsafe setNoticeReceiver = try find("PQsetNoticeReceiver")
        unsafe enterPipelineMode = try find("PQenterPipelineMode")
        unsafe pipelineSync = try find("PQpipelineSync")
        unsafe sendPrepare = try find("PQsendPrepare")
        unsafe sendQueryPrepared = try find("PQsendQueryPrepared")
        unsafe sendQueryParams = try find("PQsendQueryParams")
        unsafe flush = try find("PQflush")
        unsafe consumeInput = try find("PQconsumeInput")
        unsafe isBusy = try find("PQisBusy")
        unsafe getResult = try find("PQgetResult")
        unsafe resultStatus = try find("PQresultStatus")
        unsafe resultErrorField = try find("PQresultErrorField")
        unsafe tupleCount = try find("PQntuples")
        unsafe isNull = try find("PQgetisnull")
        unsafe value = try find("PQgetvalue")
        unsafe length = try find("PQgetlength")
        unsafe clear = try find("PQclear")
    }

    /// A field of an error or a notice, by its letter in the protocol.
    func field(_ letter: Character, of result: Result) -> String? {
        let number = Int32(letter.asciiValue ?? 0)
        return unsafe resultErrorField(result, number).map { unsafe String(cString: $0) }
    }
}

extension LibPQ {
    static let connectionIsBad: Int32 = 1

    enum ResultStatus: Int32 {
        case emptyQuery, commandOK, tuplesOK, copyOut, copyIn, badResponse, nonfatalError, fatalError, copyBoth, singleTuple
        case pipelineSync, pipelineAborted
    }
}
