"""Charts to data: find the axes, the legend and the marks of a chart's picture, and read the marks in data units."""
