internal import Glibc

/// A file of certificate authorities to trust, named on a command line.
package enum AuthorityFile {
    /// The file's absolute path, which is stored with the token, as later commands may run in another folder. Throws if the file
    /// cannot be read.
    package static func path(of name: String) throws(HTTPError) -> String {
        // The C library allocates the path; it is freed below.
        guard let path = unsafe realpath(name, nil) else { throw fault(name) }
        defer { unsafe free(path) }
        guard unsafe access(path, R_OK) == 0 else { throw fault(name) }
        return unsafe String(cString: path)
    }

    private static func fault(_ name: String) -> HTTPError {
        HTTPError(.local, "\(name), with the authorities to trust, cannot be read: \(unsafe String(cString: strerror(errno)))")
    }
}
