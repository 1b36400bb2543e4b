/** Which processors a container gets of those that are free: whole nodes, sockets and cores first (upstream cpu_assignment.go). Pure. */
import { AppError } from '../../base/errors.ts';
import { groupsOf, without, type Cpus, type Layout, type Level } from './layout.ts';

export interface TakeOptions {
	/** Rather threads of several cores than all of one. */
	readonly spread: boolean;
	/** Whole last caches after whole nodes and sockets. */
	readonly alignByCache: boolean;
}

/** Packed onto as few nodes, sockets, caches and cores as may be. AppError when too few are free. */
export function takePacked(layout: Layout, free: Cpus, count: number, { spread, alignByCache }: TakeOptions): Cpus {
	if (count > free.length)
		throw new AppError('ResourceExhausted', `not enough cpus available to satisfy request: requested=${count}, available=${free.length}`);
	const taken: Taken = { layout, free, cpus: [], needed: count };
	const [outer, inner, core] = layout.levels;
	takeWhole(taken, [outer]);
	takeWhole(taken, [outer, inner]);
	if (alignByCache) takeCaches(taken);
	if (!spread) takeWhole(taken, [outer, inner, core]);
	const rest = ordered(taken.free, spread ? levelsTo(layout, 'socket') : [outer, inner, core]);
	take(taken, rest.flat().slice(0, taken.needed));
	return taken.cpus;
}

/** The groups of the innermost of these levels, those first that have least left; inside each, by id. */
export function ordered(free: Cpus, levels: readonly Level[]): readonly Cpus[] {
	const [level, ...inner] = levels;
	if (level === undefined) return [free.toSorted((a, b) => a.id - b.id)];
	return [...groupsOf(free, level)]
		.toSorted(([a, mine], [b, other]) => mine.length - other.length || a - b)
		.flatMap(([, group]) => ordered(group, inner));
}

interface Taken {
	readonly layout: Layout;
	free: Cpus;
	cpus: Cpus;
	needed: number;
}

function take(taken: Taken, cpus: Cpus): void {
	taken.cpus = [...taken.cpus, ...cpus];
	taken.free = without(taken.free, cpus);
	taken.needed -= cpus.length;
}

/** Groups of the innermost level of which nothing is in use and all is needed. */
function takeWhole(taken: Taken, levels: readonly Level[]): void {
	const level = levels.at(-1) ?? 'core';
	const sizes = groupsOf(taken.layout.cpus, level);
	for (const group of ordered(taken.free, levels)) {
		const whole = sizes.get(group[0]?.[level] ?? -1)?.length;
		if (group.length === whole && taken.needed >= whole) take(taken, group);
	}
}

function takeCaches(taken: Taken): void {
	const levels: readonly Level[] = [...levelsTo(taken.layout, 'numa'), 'cache'];
	for (const group of ordered(taken.free, levels)) {
		if (taken.needed >= taken.layout.cpusPerCache) takeWhole(taken, levels);
		if (taken.needed === 0) return;
		const left = group.filter((cpu) => taken.free.includes(cpu));
		const part = partOfCache(taken, left);
		if (part.length === taken.needed) take(taken, part);
	}
}

function levelsTo({ levels }: Layout, last: 'numa' | 'socket'): readonly Level[] {
	return levels.slice(0, levels.indexOf(last) + 1);
}

/** As many of its cores as are needed, with one thread of the last where the count is odd. */
function partOfCache({ needed, layout: { cpusPerCore } }: Taken, cache: Cpus): Cpus {
	const cores = [...groupsOf(cache, 'core')].toSorted(([a], [b]) => a - b).slice(0, Math.ceil(needed / cpusPerCore));
	const cpus = cores.flatMap(([, threads]) => threads).toSorted((a, b) => a.id - b.id);
	return needed % 2 !== 0 && cpusPerCore > 1 && cpus.length > needed ? cpus.slice(0, -1) : cpus;
}
