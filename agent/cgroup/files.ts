/** Limits as the files of a control group, of both versions, and as properties of a systemd slice. Pure. */
import type { CgroupFile } from '../../host/cgroup-tree.ts';
import { weightOf, type GroupLimits } from './limits.ts';

const DEFAULT_PERIOD_US = 100_000;

export function filesOf(limits: GroupLimits, version: 1 | 2): readonly CgroupFile[] {
	const { shares, quotaUs, periodUs = DEFAULT_PERIOD_US, memoryBytes, pids, hugePages = {} } = limits;
	const files: CgroupFile[] = [];
	const add = (controller: string, file: string, value: number | string, optional = false): void =>
		void files.push({ controller, file, value: String(value), ...(optional ? { optional } : {}) });
	if (version === 2) {
		if (shares !== undefined) add('cpu', 'cpu.weight', weightOf(shares));
		if (quotaUs !== undefined) add('cpu', 'cpu.max', `${quotaUs > 0 ? quotaUs : 'max'} ${periodUs}`);
		if (memoryBytes !== undefined) add('memory', 'memory.max', memoryBytes > 0 ? memoryBytes : 'max');
		if (pids !== undefined) add('pids', 'pids.max', pids > 0 ? pids : 'max');
		for (const [size, bytes] of Object.entries(hugePages)) add('hugetlb', `hugetlb.${size}.max`, bytes, true);
		return files;
	}
	if (shares !== undefined) add('cpu', 'cpu.shares', shares);
	if (quotaUs !== undefined) {
		add('cpu', 'cpu.cfs_period_us', periodUs);
		add('cpu', 'cpu.cfs_quota_us', quotaUs);
	}
	if (memoryBytes !== undefined) add('memory', 'memory.limit_in_bytes', memoryBytes);
	if (pids !== undefined) add('pids', 'pids.max', pids > 0 ? pids : 'max');
	for (const [size, bytes] of Object.entries(hugePages)) add('hugetlb', `hugetlb.${size}.limit_in_bytes`, bytes, true);
	return files;
}

const INFINITY = '18446744073709551615';

/** A property's name, its D-Bus type and its value, as busctl takes them. */
export type UnitProperty = readonly [name: string, type: 'b' | 's' | 't', value: string];

/** What systemd keeps of them; it would write its own over what is only in the files. */
export function unitProperties(limits: GroupLimits, version: 1 | 2): readonly UnitProperty[] {
	const { shares, quotaUs, periodUs = DEFAULT_PERIOD_US, memoryBytes, pids } = limits;
	const properties: UnitProperty[] = [];
	if (shares !== undefined)
		properties.push(version === 2 ? ['CPUWeight', 't', String(weightOf(shares))] : ['CPUShares', 't', String(shares)]);
	// systemd knows quotas by the second, in steps of ten milliseconds.
	const perSecond = quotaUs === undefined || quotaUs <= 0 ? undefined : Math.ceil((quotaUs * 1_000_000) / periodUs / 10_000) * 10_000;
	if (quotaUs !== undefined) properties.push(['CPUQuotaPerSecUSec', 't', perSecond === undefined ? INFINITY : String(perSecond)]);
	if (memoryBytes !== undefined)
		properties.push([version === 2 ? 'MemoryMax' : 'MemoryLimit', 't', memoryBytes > 0 ? String(memoryBytes) : INFINITY]);
	if (pids !== undefined) properties.push(['TasksMax', 't', pids > 0 ? String(pids) : INFINITY]);
	return properties;
}
