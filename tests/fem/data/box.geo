DefineConstant[ tets = 0 ];
SetFactory("Built-in");
Point(1) = {0,0,0,10};
line[] = Extrude {1,0,0} { Point{1}; Layers{2}; };
If (tets == 0)
  area[] = Extrude {0,2,0} { Line{line[1]}; Layers{1}; Recombine; };
  body[] = Extrude {0,0,3} { Surface{area[1]}; Layers{1}; Recombine; };
Else
  area[] = Extrude {0,2,0} { Line{line[1]}; Layers{1}; };
  body[] = Extrude {0,0,3} { Surface{area[1]}; Layers{1}; };
EndIf
Physical Volume("rubber", 1) = {body[1]};
Physical Volume("everything", 2) = {body[1]};
Physical Surface("lower end", 3) = {area[1]};
Physical Surface("upper end", 4) = {body[0]};
Physical Curve("edge", 5) = {line[1]};
Physical Point("tip", 6) = {1};
Physical Surface(9) = {-body[2]};
