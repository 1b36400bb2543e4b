/** Paths of fields in the order in which a document has them. */
export function documentOrder(paths: readonly string[], document: unknown): readonly string[] {
	if (paths.length < 2) return paths;
	const wanted = new Set(paths);
	const found: string[] = [];
	const visit = (value: unknown, path?: string): void => {
		if (typeof value !== 'object' || value === null) return;
		if (Array.isArray(value)) value.forEach((item, i) => child(item, `${path ?? ''}[${i}]`));
		else for (const [key, item] of Object.entries(value)) child(item, path === undefined ? key : `${path}.${key}`);
	};
	const child = (value: unknown, path: string): void => {
		if (wanted.has(path)) found.push(path);
		visit(value, path);
	};
	visit(document);
	return found;
}
