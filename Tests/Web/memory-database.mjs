/** A fake IndexedDB with the parts that `keys.js` uses: databases in memory whose transactions run one after the other. */
export class MemoryDatabases {
  #databases = new Map();
  #opened = new Set();

  open(name) {
    const request = {};
    setImmediate(() => {
      const isNew = !this.#databases.has(name);
      if (isNew) this.#databases.set(name, new Map());
      request.result = new Database(this.#databases.get(name));
      this.#opened.add(request.result);
      if (isNew) request.onupgradeneeded?.();
      request.onsuccess?.({ target: request });
    });
    return request;
  }

  deleteDatabase(name) {
    const request = {};
    this.#databases.delete(name);
    for (const one of this.#opened) one.onversionchange?.();
    setImmediate(() => request.onsuccess?.({ target: request }));
    return request;
  }
}

class Database {
  #stores;

  constructor(stores) {
    this.#stores = stores;
  }

  createObjectStore(name) {
    this.#stores.set(name, new Map());
  }

  close() {}

  transaction(place) {
    const transaction = { objectStore: () => store };
    const records = this.#stores.get(place);
    const before = records.last;
    let [open, end] = [0, () => undefined];
    records.last = new Promise((resolve) => { end = resolve; });
    const ask = (work) => {
      const request = {};
      open += 1;
      Promise.resolve(before).then(() => {
        request.result = work();
        request.onsuccess?.({ target: request });
        open -= 1;
        if (open) return;
        end();
        setImmediate(() => transaction.oncomplete?.());
      });
      return request;
    };
    const store = {
      get: (key) => ask(() => structuredClone(records.get(key))),
      getAll: () => ask(() => [...records.values()].map((one) => structuredClone(one))),
      put: (value, key) => ask(() => void records.set(key, structuredClone(value))),
      delete: (key) => ask(() => void records.delete(key)),
    };
    return transaction;
  }
}
