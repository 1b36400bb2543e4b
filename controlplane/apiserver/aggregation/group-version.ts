/** The group and version of a path. Pure. */

/** "/api/v1", "/apis/apps/v1" */
export function groupVersionPath(group: string, version: string): string {
	return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** "apps/v1" of "/apis/apps/v1" and everything below it; undefined for other paths. */
export function groupVersionOf(path: string): string | undefined {
	if (!path.startsWith('/apis/')) return undefined;
	const [, , group = '', version = ''] = path.split('/', 4);
	return group === '' || version === '' ? undefined : `${group}/${version}`;
}
