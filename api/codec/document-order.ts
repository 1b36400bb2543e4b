/** Paths of fields in the order in which a document has them. */
export function documentOrder(paths: readonly string[], document: unknown): readonly string[] {
	if (paths.length < 2) return paths;
	const wanted = new Set(paths);
	const found: string[] = [];
	const visit = (value: unknown, path: string): void => {
		if (wanted.has(path)) found.push(path);
		if (typeof value !== 'object' || value === null) return;
		if (Array.isArray(value)) value.forEach((item, i) => visit(item, `${path}[${i}]`));
		else for (const [key, item] of Object.entries(value)) visit(item, path === '' ? key : `${path}.${key}`);
	};
	visit(document, '');
	return found;
}
