/** The scoring strategies of NodeResourcesFit: little in use, much in use, or as a curve says. Pure. */
import { MAX_SCORE } from '../framework.ts';
import type { ScoringStrategy, ShapePoint } from '../plugin-args.ts';
import type { Use } from './resource-use.ts';

/** Scores of a curve go to ten (upstream's MaxCustomPriorityScore). */
const MAX_SHAPE_SCORE = 10;

/** 0 to 100 for what would be in use of a node. */
export function allocationScorer(strategy: ScoringStrategy): (uses: readonly Use[]) => number {
	switch (strategy.type) {
		case 'LeastAllocated':
			return (uses) => Math.floor(mean(uses, freeShare));
		case 'MostAllocated':
			return (uses) => Math.floor(mean(uses, usedShare));
		case 'RequestedToCapacityRatio': {
			const curve = brokenLine(strategy.shape);
			return (uses) => Math.round(mean(uses, (use) => curve(percentOf(use)), 'without zeros'));
		}
	}
}

/** Weighted; "without zeros" where what scores nothing does not count at all. */
function mean(uses: readonly Use[], scoreOf: (use: Use) => number, zeros?: 'without zeros'): number {
	let sum = 0;
	let weights = 0;
	for (const use of uses) {
		const score = scoreOf(use);
		if (zeros !== undefined && score <= 0) continue;
		sum += score * use.weight;
		weights += use.weight;
	}
	return weights === 0 ? 0 : sum / weights;
}

function freeShare({ allocatable, after }: Use): number {
	return after > allocatable ? 0 : Math.floor(((allocatable - after) * MAX_SCORE) / allocatable);
}

function usedShare({ allocatable, after }: Use): number {
	return Math.floor((Math.min(after, allocatable) * MAX_SCORE) / allocatable);
}

function percentOf({ allocatable, after }: Use): number {
	return after > allocatable ? 100 : Math.floor((after * 100) / allocatable);
}

/** Before the first point and after the last it is level (upstream's BuildBrokenLinearFunction, in whole numbers as there). */
function brokenLine(shape: readonly ShapePoint[]): (percent: number) => number {
	const points = shape.map(({ utilization, score }) => ({ x: utilization, y: score * (MAX_SCORE / MAX_SHAPE_SCORE) }));
	return (percent) => {
		const next = points.findIndex(({ x }) => percent <= x);
		const to = points.at(next);
		if (to === undefined) return 0;
		const from = next > 0 ? points[next - 1] : undefined;
		return from === undefined ? to.y : from.y + Math.trunc(((to.y - from.y) * (percent - from.x)) / (to.x - from.x));
	};
}
