/** The store suite's values in etcd as they are, with their labels: what upstream's layout does is not under test here. */
import type { StoredForm } from '../../controlplane/storage/etcd/stored-form.ts';
import { textOf, value } from './store-suite.ts';

export function plainForm(prefix: string): StoredForm {
	return {
		prefix,
		toKey: (key) => prefix.slice(0, -1) + key,
		fromKey: (key) => (key.startsWith(prefix) ? key.slice(prefix.length - 1) : undefined),
		toValue: (_key, encoded) => Buffer.from(JSON.stringify({ text: textOf(encoded), labels: encoded.labels })),
		fromValue: (_key, bytes) => {
			const { text, labels } = JSON.parse(bytes.toString()) as { text: string; labels: Record<string, string> };
			return value(text, labels);
		},
	};
}
