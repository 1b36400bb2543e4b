/** What a pod asks for as a whole where it only says what it may use: its containers together, then its own limits. */
import type { Container, Pod } from '../gen/types.ts';
import { addTo, amountsOf, raiseTo, resourceList, type Amounts } from '../pod/amounts.ts';
import { inAll, isPodLevelResource } from '../pod/resources.ts';

const SUMS = { none: (): Amounts => new Map(), add: addTo, raise: raiseTo };
const isHugePages = (name: string): boolean => name.startsWith('hugepages-');

/** In place; requests and limits of the containers are defaulted already. */
export function defaultPodResources(pod: Pod): void {
	const own = pod.spec?.resources;
	if (own === undefined || own === null) return;
	const given = (list: object | undefined | null): boolean => Object.keys(list ?? {}).length > 0;
	const sum = (of: (container: Container) => Readonly<Record<string, string>> | undefined): Record<string, string> =>
		resourceList(inAll(pod, (container) => amountsOf(of(container)), SUMS));
	if (given(own.limits) || given(own.requests)) {
		const limits = { ...own.limits };
		for (const [name, value] of Object.entries(sum((c) => c.resources?.limits)))
			if (isHugePages(name) && own.requests?.[name] === undefined) limits[name] ??= value;
		if (given(limits)) own.limits = limits;
	}
	if (!given(own.limits)) return;
	const requests = { ...own.requests };
	for (const [name, value] of Object.entries(sum((c) => c.resources?.requests)))
		if (isPodLevelResource(name) && !isHugePages(name)) requests[name] ??= value;
	for (const [name, value] of Object.entries(own.limits ?? {})) if (isPodLevelResource(name)) requests[name] ??= value;
	if (given(requests)) own.requests = requests;
}
