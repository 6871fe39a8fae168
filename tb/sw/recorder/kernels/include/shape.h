/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHAPE_H
#define SHAPE_H
typedef struct {
    int width, height;
} shape;

int at(shape s, int x, int y)
{
    return y * s.width + x;
}
#endif
