/**
 * Answers that are long lists, put together from what each item was encoded to when it was first told: lists are asked for over and over, and most
 * of their items are the same objects each time. Parts of a protobuf message, one behind the other, are the message (encoding guide, "Last One Wins").
 */
export interface Parts<Response, Item> {
	items(response: Response): readonly Item[];
	/** An answer of nothing but the item. */
	alone(item: Item): Response;
	/** The answer without its items. */
	rest(response: Response): Response;
}

/** Items must not change once they were told. What was encoded lives as long as its item. */
export function itemwise<Response, Item extends object>(
	serialize: (response: Response) => Buffer,
	{ items, alone, rest }: Parts<Response, Item>,
): (response: Response) => Buffer {
	const encoded = new WeakMap<Item, Uint8Array>();
	const bytesOf = (item: Item): Uint8Array => {
		let bytes = encoded.get(item);
		if (bytes === undefined) encoded.set(item, (bytes = serialize(alone(item))));
		return bytes;
	};
	return (response) => Buffer.concat([...items(response).map(bytesOf), serialize(rest(response))]);
}
