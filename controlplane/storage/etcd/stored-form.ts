/** How keys and values stand in etcd. The store itself knows neither upstream's layout nor its encodings. */
import type { Encoded } from '../store.ts';

export interface StoredForm {
	/** Every key of the store begins so in etcd: "/registry/". */
	readonly prefix: string;
	/** The store's key in etcd. */
	toKey(key: string): string;
	/** The store's key of an etcd key; undefined for keys that are not the store's. */
	fromKey(etcdKey: string): string | undefined;
	toValue(key: string, value: Encoded): Uint8Array;
	/** AppError InvalidArgument when the bytes are no object. */
	fromValue(key: string, bytes: Buffer): Encoded;
}
