/** A list as an enveloped message in parts: its items one by one, what stands around them once it is known how long they are. */
import { BYTES } from './wire-format.ts';
import { schemaOf, TAIL, writeHead, written } from './envelope.ts';
import { planOf } from './plan.ts';
import { encodeMessage } from './protobuf-encode.ts';

export interface ListEnvelope {
	item(object: object): Buffer;
	around(itemBytes: number): { readonly first: Buffer; readonly last: Buffer };
}

/** @param list without items, with apiVersion and kind; undefined when it is no built-in type */
export function listEnvelope(list: { readonly apiVersion: string; readonly kind: string }): ListEnvelope | undefined {
	const type = schemaOf(list.apiVersion, list.kind);
	if (type === undefined) return undefined;
	const plan = planOf(type);
	const at = plan.wire.findIndex(({ field }) => field?.name === 'items');
	if (at < 0) return undefined;
	const part = (from: number, to: number): typeof plan => ({ ...plan, wire: plan.wire.slice(from, to) });
	const [before, items, after] = [part(0, at), part(at, at + 1), part(at + 1, plan.wire.length)];
	const message = (of: typeof plan, object: object): Buffer => written((w) => encodeMessage(w, of, { ...object }));
	return {
		item: (object) => message(items, { items: [object] }),
		around(itemBytes) {
			const [head, tail] = [message(before, list), message(after, list)];
			const first = written((w) => {
				writeHead(w, list);
				w.tag(2, BYTES);
				w.varint(head.length + itemBytes + tail.length);
				w.raw(head);
			});
			return { first, last: Buffer.concat([tail, TAIL]) };
		},
	};
}
